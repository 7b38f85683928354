/** Every variant by name: the name is all that crosses to the child process that runs it. */
import type { Work } from "./Work.js"

// Loaded by whoever runs them: what a process holds that it does not need would be measured too.
const bytes = () => import("./bytes.js")
const decode = () => import("./decode.js")
const fanOut = () => import("./fanOut.js")
const imports = () => import("./imports.js")
const longLife = () => import("./longLife.js")
const pipe = () => import("./pipe.js")
const recordProxy = () => import("./recordProxy.js")
const stalled = () => import("./stalled.js")
const streaming = () => import("./streaming.js")

/** Each makes its input and gives one pass over it. */
export const variants = {
  "json-parse": async () => (await decode()).jsonParse((await decode()).mixed()),
  "json-parse-deltas": async () => (await decode()).jsonParse((await decode()).deltas()),
  "json-parse-sample": async () => (await decode()).jsonParse((await decode()).sample()),
  "decode-line": async () => (await decode()).decodeLine((await decode()).mixed()),
  "decode-line-without-eval": async () => (await decode()).decodeLineWithoutEval((await decode()).mixed()),
  "decode-line-deltas": async () => (await decode()).decodeLine((await decode()).deltas()),
  "line-reader": async () => (await decode()).readLine((await decode()).mixed()),
  "line-reader-deltas": async () => (await decode()).readLine((await decode()).deltas()),
  "schema-sample": async () => (await decode()).schemaDecode((await decode()).sample()),
  "line-decoder": async () => (await bytes()).lineDecoder((await bytes()).mixed()),
  "readline": async () => (await bytes()).readline((await bytes()).mixed()),
  "long-line-50": async () => (await bytes()).lineDecoder((await bytes()).longLine(50_000_000)),
  "long-line-12.5": async () => (await bytes()).lineDecoder((await bytes()).longLine(12_500_000)),
  "codec": async () => (await bytes()).codec((await bytes()).mixed()),
  "readline-parse": async () => (await bytes()).readlineParse((await bytes()).mixed()),
  "node-transport": async () => (await pipe()).transport(),
  "bare-child": async () => (await pipe()).bare(),
  "streaming-batches": async () => (await streaming()).inBatches(),
  "streaming-stream": async () => (await streaming()).oneByOne(),
  "streaming-sdk": async () => (await streaming()).officialSdk(),
  "subscribers": async () => (await fanOut()).subscribers(),
  "callbacks": async () => (await fanOut()).callbacks(),
  "stalled-subscriber": async () => (await stalled()).drainOfSubscriber(),
  "stalled-subscriber-50": async () => (await stalled()).drainOfSubscriber(50_000),
  "stalled-sdk": async () => (await stalled()).drainOfSdk(),
  "stalled-memory": async () => (await stalled()).memoryOfSubscriber(),
  "turns": async () => (await longLife()).turnsOfSession(),
  "turns-sdk": async () => (await longLife()).turnsOfSdk(),
  "idle-heap": async () => (await longLife()).heapOfSession(),
  "idle-heap-sdk": async () => (await longLife()).heapOfSdk(),
  "growth": async () => (await longLife()).growthOfSession("messages"),
  "growth-kept": async () => (await longLife()).growthOfSession("all"),
  "import-protocol": async () => (await imports()).protocol(),
  "import-protocol-bundled": async () => (await imports()).protocolBundled(),
  "import-session-bundled": async () => (await imports()).sessionBundled(),
  "import-session": async () => (await imports()).session(),
  "import-effect-schema": async () => (await imports()).effectSchema(),
  "import-effect-stream": async () => (await imports()).effectStream(),
  "record-flood": async () => (await recordProxy()).proxiedFlood(),
  "bare-flood": async () => (await recordProxy()).bareFlood(),
  "record-turns": async () => (await recordProxy()).proxiedTurns(),
  "bare-turns": async () => (await recordProxy()).bareTurns(),
  "import-sdk": async () => (await imports()).officialSdk()
} satisfies { readonly [name: string]: () => Promise<Work> }

/** The name of a variant. */
export type VariantName = keyof typeof variants

/** Whether there is such a variant. */
export const isVariantName = (name: string): name is VariantName => Object.hasOwn(variants, name)

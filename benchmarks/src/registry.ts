/** Every benchmark. To add one, add an entry here, and its variants to `work/variants.ts`. */
import { onFiles } from "./files/benchmarks.js"
import { compare, type Measured, type RunOptions, sample } from "./harness/compare.js"

/** A benchmark: some work, what it is held against, and how many times as much it may take. */
export interface Benchmark {
  readonly id: string
  /** What promise it belongs to. Without one, the measurement is for information. */
  readonly row?: string
  /** What is measured. */
  readonly title: string
  /** What takes 1. */
  readonly against: string
  /** The largest value that is good enough. */
  readonly target?: number
  /** What the value is, if it is no ratio. */
  readonly unit?: "MB"
  /** Why the target is not met, where that is known. The page tells it if it is so. */
  readonly reason?: string
  readonly run: (options: RunOptions) => Promise<Measured>
}

const parse = "`JSON.parse` of the same lines"

const sdk = "the official SDK's `query()` on the same process"

/** Each round starts a process and keeps it busy for a second; a few are enough to compile what is hot. */
const withProcess = { passes: 1, warmUpRounds: 2, launches: 2 }

/** Tiny turns take a round of a few hundredths of a second, and much code: it takes some until all of it is compiled. */
const withTurns = { passes: 1, warmUpRounds: 30, launches: 2 }

/** The SDK takes seconds for each. */
const withStall = { passes: 1, warmUpRounds: 1, launches: 1 }

const gc = ["--expose-gc"]

const bundled =
  "Effect comes as some 400 files and the SDK as one, and most of the time goes into finding and reading files: what is " +
  "imported of Effect takes longer than the SDK before anything of ours is read (`import-effect-schema`, " +
  "`import-effect-stream`)."

const streamingReason =
  "Bytes to validated frames alone take more than a third of what the SDK takes for everything, and reading the " +
  "pipe nearly a tenth of it: for the session itself, a few hundredths are left."

const turnsReason = "The SDK takes hardly more than a bare pipe, some 0.03 to 0.05 ms a turn. Three fibers that wake " +
  "each other, checks in both directions and the ledger of messages take some 0.03 ms more; a turn of a model takes seconds."

/** In the order of the table. */
export const benchmarks: ReadonlyArray<Benchmark> = [
  {
    id: "decode",
    row: "1",
    title: "`Codec.cli.decode`, with full validation, on the mixed corpus",
    against: parse,
    target: 1.1,
    run: compare({ work: "decode-line", against: "json-parse", passes: 20 })
  },
  {
    id: "decode-csp",
    row: "1",
    title: "the same where code generation is forbidden",
    against: parse,
    target: 1.5,
    run: compare({
      work: "decode-line-without-eval",
      against: "json-parse",
      passes: 20,
      nodeFlags: ["--disallow-code-generation-from-strings"]
    })
  },
  {
    id: "decode-deltas",
    title: "`Codec.cli.decode` on content deltas alone",
    against: parse,
    run: compare({ work: "decode-line-deltas", against: "json-parse-deltas", passes: 20 })
  },
  {
    id: "templates",
    row: "2",
    title: "`Codec.cli.makeLineReader`, which knows deltas again, on the mixed corpus",
    against: parse,
    target: 0.9,
    reason:
      "Deltas are 80% of the lines of this corpus and a sixth of the time that `JSON.parse` takes for it, so that is " +
      "the most that knowing them can save. What it saves of their own time is below.",
    run: compare({ work: "line-reader", against: "json-parse", passes: 20 })
  },
  {
    id: "templates-deltas",
    row: "2",
    title: "the same on content deltas alone",
    against: parse,
    target: 0.75,
    run: compare({ work: "line-reader-deltas", against: "json-parse-deltas", passes: 20 })
  },
  {
    id: "schema",
    title: "`JSON.parse` and `Schema.decodeUnknownEither(CliFrame)`, on a sample",
    against: parse,
    run: compare({ work: "schema-sample", against: "json-parse-sample", passes: 150 })
  },
  {
    id: "lines",
    row: "3",
    title: "bytes to lines with `LineDecoder`, in chunks of 64 KiB",
    against: "`node:readline` on the same chunks",
    target: 0.35,
    run: compare({ work: "line-decoder", against: "readline", passes: 20 })
  },
  {
    id: "long-line",
    row: "4",
    title: "one line of 50 MB with `LineDecoder`, in chunks of 64 KiB",
    against: "one line of 12.5 MB (4 is linear)",
    target: 6,
    run: compare({ work: "long-line-50", against: "long-line-12.5", passes: 5, differentInput: true })
  },
  {
    id: "chunks",
    title: "bytes to validated frames with `Codec.cli.makeDecoder`, in chunks of 64 KiB",
    against: "`node:readline` and `JSON.parse` on the same chunks",
    run: compare({ work: "codec", against: "readline-parse", passes: 10 })
  },
  {
    id: "pipe",
    title: "400 MB from a child process through `NodeTransport`",
    against: "a bare `child_process` reader",
    // 0.9 of its speed.
    target: 1 / 0.9,
    run: compare({ work: "node-transport", against: "bare-child", passes: 1 })
  },
  {
    id: "streaming",
    row: "5",
    title: "a process prints 200,000 deltas to a session's subscriber, in batches: CPU",
    against: sdk,
    target: 0.45,
    reason: streamingReason,
    run: compare({ work: "streaming-batches", against: "streaming-sdk", measure: "cpu", ...withProcess })
  },
  {
    id: "streaming-stream",
    row: "5",
    title: "the same, event by event with `Stream.runForEach`: CPU",
    against: sdk,
    target: 0.65,
    reason: streamingReason,
    run: compare({ work: "streaming-stream", against: "streaming-sdk", measure: "cpu", ...withProcess })
  },
  {
    id: "fan-out",
    row: "6",
    title: "40,000 deltas, as bytes, to 16 subscribers of a session",
    against: "the same bytes through `Codec.cli.makeDecoder` to 16 callbacks",
    target: 2,
    reason:
      "What is held against it is hardly more than the codec, which has become faster since the target was set. The " +
      "rest is 16 fibers that are woken for every chunk.",
    run: compare({ work: "subscribers", against: "callbacks", passes: 5 })
  },
  {
    id: "stalled",
    row: "7",
    title: "a subscriber stalls until 200,000 frames wait, and takes them all: time to do so",
    against: sdk,
    target: 0.1,
    run: compare({ work: "stalled-subscriber", against: "stalled-sdk", measure: "kept", nodeFlags: gc, ...withStall })
  },
  {
    id: "stalled-linear",
    row: "7",
    title: "the same: time to take 200,000 frames",
    against: "50,000 (4 is linear)",
    target: 6,
    run: compare({
      work: "stalled-subscriber",
      against: "stalled-subscriber-50",
      measure: "kept",
      nodeFlags: gc,
      ...withProcess
    })
  },
  {
    id: "stalled-memory",
    row: "7",
    title: "a subscriber with the default capacity stalls for 200,000 frames: resident memory",
    against: "after a turn in which nobody stalled",
    target: 10,
    unit: "MB",
    run: sample("stalled-memory", gc)
  },
  {
    id: "turns",
    row: "8",
    title: "500 tiny turns on a resident process: median round trip",
    against: sdk,
    target: 1.15,
    reason: turnsReason,
    run: compare({ work: "turns", against: "turns-sdk", measure: "kept", ...withTurns })
  },
  {
    id: "turns-cpu",
    row: "8",
    title: "the same: CPU",
    against: sdk,
    target: 1.5,
    reason: turnsReason,
    run: compare({ work: "turns", against: "turns-sdk", measure: "cpu", differentInput: true, ...withTurns })
  },
  {
    id: "idle-heap",
    row: "9",
    title: "heap of an idle session",
    against: "a conversation of the official SDK's",
    target: 0.8,
    reason:
      "Three fibers that read, write and supervise, and what Node keeps of a process. It takes about 75 KB; the SDK, which " +
      "took 80 when the target was set, takes 30 to 60.",
    run: compare({ work: "idle-heap", against: "idle-heap-sdk", measure: "kept", nodeFlags: gc, ...withProcess })
  },
  {
    id: "growth",
    row: "10",
    title: "1,000,000 events through a session, in turns that keep no pieces: resident memory",
    against: "after 100,000",
    target: 10,
    unit: "MB",
    run: sample("growth", gc)
  },
  {
    id: "growth-kept",
    row: "10",
    title: "the same in turns that keep every piece for their result, 10,000 at a time: resident memory",
    against: "after 100,000",
    target: 10,
    unit: "MB",
    reason:
      "What is in use stays the same (`pnpm soak`: less than 1 MB either way); but 5 MB that come and go with every turn " +
      "leave holes in the heap, and V8 gives its pages back late.",
    run: sample("growth-kept", gc)
  },
  {
    id: "import-protocol",
    row: "11",
    title: "import of `protocol`: `Codec` and `SessionMachine`",
    against: "the official SDK's import",
    target: 0.5,
    reason: `${bundled} In one file, as the SDK is, it is \`import-protocol-bundled\`.`,
    run: compare({ work: "import-protocol", against: "import-sdk", measure: "kept", ...withProcess })
  },
  {
    id: "import-protocol-bundled",
    title: "the same, bundled with Effect into one file by esbuild",
    against: "the official SDK's import",
    run: compare({ work: "import-protocol-bundled", against: "import-sdk", measure: "kept", ...withProcess })
  },
  {
    id: "import-effect-schema",
    title: "import of `effect/Schema` alone",
    against: "the official SDK's import",
    run: compare({ work: "import-effect-schema", against: "import-sdk", measure: "kept", ...withProcess })
  },
  {
    id: "import-session",
    row: "11",
    title: "import of `session` and `transport-node`",
    against: "the official SDK's import",
    target: 1,
    reason: `${bundled} In one file, as the SDK is, it is \`import-session-bundled\`.`,
    run: compare({ work: "import-session", against: "import-sdk", measure: "kept", ...withProcess })
  },
  {
    id: "import-session-bundled",
    title: "the same, bundled with Effect into one file by esbuild",
    against: "the official SDK's import",
    run: compare({ work: "import-session-bundled", against: "import-sdk", measure: "kept", ...withProcess })
  },
  {
    id: "import-effect-stream",
    title: "import of `effect/Effect` and `effect/Stream` alone",
    against: "the official SDK's import",
    run: compare({ work: "import-effect-stream", against: "import-sdk", measure: "kept", ...withProcess })
  },
  {
    id: "record-proxy",
    title: "200 tiny turns of a process through `claude-duplex record`",
    against: "the same process, with nobody between",
    run: compare({ work: "record-turns", against: "bare-turns", ...withProcess })
  },
  {
    id: "record-proxy-flood",
    title: "15 MB of deltas at once through `claude-duplex record`",
    against: "the same process, with nobody between",
    run: compare({ work: "record-flood", against: "bare-flood", ...withProcess })
  },
  ...onFiles
]

/** Every variant by name: the name is all that crosses to the child process that runs it. */
import * as Bytes from "./bytes.js"
import * as Decode from "./decode.js"
import * as Pipe from "./pipe.js"
import type { Work } from "./Work.js"

/** Each makes its input and gives one pass over it. */
export const variants = {
  "json-parse": () => Decode.jsonParse(Decode.mixed()),
  "decode-line": () => Decode.decodeLine(Decode.mixed()),
  "decode-line-without-eval": () => Decode.decodeLineWithoutEval(Decode.mixed()),
  "json-parse-deltas": () => Decode.jsonParse(Decode.deltas()),
  "decode-line-deltas": () => Decode.decodeLine(Decode.deltas()),
  "json-parse-sample": () => Decode.jsonParse(Decode.sample()),
  "schema-sample": () => Decode.schemaDecode(Decode.sample()),
  "line-decoder": () => Bytes.lineDecoder(Bytes.mixed()),
  "readline": () => Bytes.readline(Bytes.mixed()),
  "long-line-50": () => Bytes.lineDecoder(Bytes.longLine(50_000_000)),
  "long-line-12.5": () => Bytes.lineDecoder(Bytes.longLine(12_500_000)),
  "codec": () => Bytes.codec(Bytes.mixed()),
  "readline-parse": () => Bytes.readlineParse(Bytes.mixed()),
  "node-transport": Pipe.transport,
  "bare-child": Pipe.bare
} satisfies { readonly [name: string]: () => Work }

/** The name of a variant. */
export type VariantName = keyof typeof variants

/** Whether there is such a variant. */
export const isVariantName = (name: string): name is VariantName => Object.hasOwn(variants, name)

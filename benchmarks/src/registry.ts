/** Every benchmark. To add one, add an entry here, and its variants, if it has any, to `work/variants.ts`. */
import { compare, type Measured, type RunOptions } from "./harness/compare.js"

/** A benchmark: some work, what it is held against, and how many times as long it may take. */
export interface Benchmark {
  readonly id: string
  /** What is measured. */
  readonly title: string
  /** What takes 1. */
  readonly against: string
  /** The largest ratio that is good enough; without one, the measurement is for information. */
  readonly target?: number
  readonly run: (options: RunOptions) => Promise<Measured>
}

/** In the order of the table. */
export const benchmarks: ReadonlyArray<Benchmark> = [
  {
    id: "decode",
    title: "`Codec.decodeLine`, with full validation, on the mixed corpus",
    against: "`JSON.parse` of the same lines",
    target: 1.1,
    run: compare({ work: "decode-line", against: "json-parse", passes: 20 })
  },
  {
    id: "decode-csp",
    title: "the same where code generation is forbidden",
    against: "`JSON.parse` of the same lines",
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
    title: "`Codec.decodeLine` on content deltas alone",
    against: "`JSON.parse` of the same lines",
    run: compare({ work: "decode-line-deltas", against: "json-parse-deltas", passes: 20 })
  },
  {
    id: "schema",
    title: "`JSON.parse` and `Schema.decodeUnknownEither(CliFrame)`, on a sample",
    against: "`JSON.parse` of the same lines",
    run: compare({ work: "schema-sample", against: "json-parse-sample", passes: 150 })
  },
  {
    id: "lines",
    title: "bytes to lines with `LineDecoder`, in chunks of 64 KiB",
    against: "`node:readline` on the same chunks",
    target: 0.35,
    run: compare({ work: "line-decoder", against: "readline", passes: 20 })
  },
  {
    id: "long-line",
    title: "one line of 50 MB with `LineDecoder`, in chunks of 64 KiB",
    against: "one line of 12.5 MB (4 is linear)",
    target: 6,
    run: compare({ work: "long-line-50", against: "long-line-12.5", passes: 5, differentInput: true })
  },
  {
    id: "chunks",
    title: "bytes to validated frames with `Codec.make`, in chunks of 64 KiB",
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
  }
]

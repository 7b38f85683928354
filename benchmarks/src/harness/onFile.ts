/**
 * Programs on a file of 1 GB, as a person would start them: time from the start of the process to its end, loading included.
 * The file is made in a folder for temporary files when it is first needed, and is gone when the benchmarks are.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Conversation from "../files/conversation.js"
import { isObject } from "../json.js"
import { type Measured, quantile, type RunOptions } from "./compare.js"

const size = 1_000_000_000

/** A round takes ten seconds or more: a few are what patience allows, and what such a round needs. */
const mostRounds = 5

let folder: string | undefined
const files = new Map<Conversation.Format, string>()

const fileOf = (format: Conversation.Format, progress: RunOptions["progress"]): string => {
  const known = files.get(format)
  if (known !== undefined) return known
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), "claude-duplex-bench-"))
    process.once("exit", () => rmSync(made, { recursive: true, force: true }))
    // Without a listener, an interruption would leave the folder behind.
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))
    folder = made
  }
  progress(`makes a ${format} file of 1 GB`)
  const path = join(folder, `${format}.jsonl`)
  Conversation.write(path, format, size)
  files.set(format, path)
  return path
}

/** What one program took. */
interface Taken {
  readonly milliseconds: number
  readonly cpuMilliseconds: number
  readonly megabytes: number
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const run = (program: string, args: ReadonlyArray<string>): Promise<Taken> =>
  new Promise((resolve, reject) => {
    const start = performance.now()
    const child = spawn(process.execPath, [
      "--import",
      new URL("../files/peak.js", import.meta.url).href,
      program,
      ...args
    ], {
      stdio: ["ignore", "ignore", "inherit", "pipe"]
    })
    let told = ""
    child.stdio[3]?.on("data", (data: Buffer) => told += data.toString())
    child.on("error", reject)
    child.on("close", (code) => {
      const milliseconds = performance.now() - start
      const usage: unknown = told === "" ? undefined : JSON.parse(told)
      if (code !== 0 || !isObject(usage)) reject(new Error(`${program} ${args.join(" ")} ended with ${String(code)}`))
      else {
        resolve({
          milliseconds,
          cpuMilliseconds: Number(usage["cpuMilliseconds"]),
          megabytes: Number(usage["megabytes"])
        })
      }
    })
  })

/** The commands that read files of any size. */
export type ToolCommand = "inspect" | "check" | "stats"

const tool = (command: ToolCommand, path: string): Promise<Taken> =>
  run(here("../../../packages/cli/bin/claude-duplex.mjs"), [command, path])

/** What is compared. */
export interface OnFile {
  readonly command: ToolCommand
  readonly format: Conversation.Format
  /** Of a recording: whether the baseline parses the frames in its lines too. */
  readonly levels: "outer" | "both"
  /** Default: `time`. */
  readonly measure?: "time" | "cpu"
}

/** The tool against bare line splitting and `JSON.parse`. */
export const compareOnFile =
  ({ command, format, levels, measure = "time" }: OnFile) =>
  async ({ progress, rounds }: RunOptions): Promise<Measured> => {
    const path = fileOf(format, progress)
    const of = measure === "time" ? "milliseconds" : "cpuMilliseconds"
    const pairs: Array<readonly [work: number, against: number]> = []
    const work = () => tool(command, path)
    const against = () => run(here("../files/bare.js"), [path, levels])
    for (let round = 0; round < Math.min(rounds, mostRounds); round++) {
      // Each is first in every other round.
      const workFirst = round % 2 === 0
      const first = await (workFirst ? work : against)()
      const second = await (workFirst ? against : work)()
      const [mine, theirs] = workFirst ? [first, second] : [second, first]
      progress(`round ${mine[of].toFixed(0)} / ${theirs[of].toFixed(0)} ms, ${mine.megabytes.toFixed(0)} MB`)
      pairs.push([mine[of], theirs[of]])
    }
    const ratios = pairs.map(([mine, theirs]) => mine / theirs)
    return {
      value: quantile(pairs.map(([mine]) => mine), 0.5) / quantile(pairs.map(([, theirs]) => theirs), 0.5),
      quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
      rounds: pairs.length
    }
  }

/** The most memory that the tool ever took. */
export const peakOnFile = (command: ToolCommand, format: Conversation.Format) =>
async (
  { progress, rounds }: RunOptions
): Promise<Measured> => {
  const path = fileOf(format, progress)
  const values: Array<number> = []
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    const { megabytes } = await tool(command, path)
    progress(`round ${megabytes.toFixed(0)} MB`)
    values.push(megabytes)
  }
  return {
    value: quantile(values, 0.5),
    quartiles: [quantile(values, 0.25), quantile(values, 0.75)],
    rounds: values.length
  }
}

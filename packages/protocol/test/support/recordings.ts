/** The recorded conversations, as the tests use them. */
import { readdirSync, readFileSync } from "node:fs"

const folder = new URL("../../../../recordings/", import.meta.url)

/** One line of a recording: who wrote it, when, and what. */
export interface Entry {
  readonly t: number
  readonly dir: "host" | "cli"
  readonly line: string
}

export interface Recording {
  /** Version and name: `2.1.326/plain`. */
  readonly name: string
  readonly entries: ReadonlyArray<Entry>
}

export const recordings: ReadonlyArray<Recording> = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name: version }) =>
    readdirSync(new URL(`${version}/`, folder)).filter((file) => file.endsWith(".jsonl")).map((file) => ({
      name: `${version}/${file.replace(".jsonl", "")}`,
      entries: readFileSync(new URL(`${version}/${file}`, folder), "utf8").trimEnd().split("\n")
        // Written by the recorder in exactly this form.
        .map((line) => JSON.parse(line) as Entry)
    }))
  )

export const linesOf = (recording: Recording, dir: "host" | "cli"): ReadonlyArray<string> =>
  recording.entries.filter((entry) => entry.dir === dir).map((entry) => entry.line)

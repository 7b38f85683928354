/** The recorded conversations, and a host that repeats what the recorded one did. */
import type { Transport } from "@claude-duplex/protocol/Transport"
import * as Recording from "@claude-duplex/transport-mock/Recording"
import { Effect, Either, Mailbox, Stream } from "effect"
import { readdirSync, readFileSync } from "node:fs"

const folder = new URL("../../../../recordings/", import.meta.url)

export interface Named extends Recording.Parsed {
  /** Version and name: `2.1.326/plain`. */
  readonly name: string
  readonly path: string
  readonly text: string
}

export const recordings: ReadonlyArray<Named> = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name: version }) =>
    readdirSync(new URL(`${version}/`, folder)).filter((file) => file.endsWith(".jsonl")).map((file) => {
      const url = new URL(`${version}/${file}`, folder)
      const text = readFileSync(url, "utf8")
      return {
        name: `${version}/${file.replace(".jsonl", "")}`,
        path: url.pathname,
        text,
        ...Either.getOrThrow(Recording.parse(text))
      }
    })
  )

export const recording = (name: string): Named => {
  const found = recordings.find((candidate) => candidate.name === name)
  if (found === undefined) throw new Error(`There is no recording ${name}.`)
  return found
}

export const linesOf = ({ entries }: Recording.Recording, dir: Recording.Direction): ReadonlyArray<string> =>
  entries.filter((entry) => entry.dir === dir).map(({ line }) => line)

/** The lines that a transport delivers, one by one; split as simply as can be. */
export const reader = (transport: Transport) =>
  Effect.gen(function*() {
    const lines = yield* Mailbox.make<string>()
    yield* transport.incoming.pipe(
      Stream.decodeText("utf-8"),
      Stream.mapAccum("", (carried, text) => {
        const parts = (carried + text).split("\n")
        return [parts.pop() ?? "", parts]
      }),
      Stream.flattenIterables,
      Stream.runForEach((line) => lines.offer(line)),
      Effect.ensuring(lines.end),
      Effect.forkScoped
    )
    return lines
  })

/**
 * Sends what the recorded host sent, each line after what came before it, and ends its input. Gives what came from the CLI.
 */
export const host = (transport: Transport, entries: ReadonlyArray<Recording.Entry>, rename = (line: string) => line) =>
  Effect.gen(function*() {
    const incoming = yield* reader(transport)
    const received: Array<string> = []
    for (const { dir, line } of entries) {
      if (dir === "host") yield* transport.send(rename(line))
      else received.push(yield* incoming.take)
    }
    yield* transport.endInput
    const [rest] = yield* incoming.takeAll
    return [...received, ...rest]
  })

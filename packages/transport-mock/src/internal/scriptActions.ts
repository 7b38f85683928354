/** What a script writes: from the data of a step to the bytes of its chunks. Throws {@link Unresolved} and nothing else. */
import * as Codec from "@claude-duplex/protocol/Codec"
import { Unknown } from "@claude-duplex/protocol/Frame"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import type { AnyAction, Bytes, Reply, ReplyChunks, ReplyLine, ReplyWith } from "../ScriptStep.js"
import { type Memory, resolve, toReceived } from "./received.js"

export type Output = Reply | ReplyWith | ReplyLine | ReplyChunks

export const isOutput = (action: AnyAction): action is Output =>
  "reply" in action || "replyWith" in action || "replyLine" in action || "replyChunks" in action

/** The chunks to write, or why the frame may not be written. */
export const chunksOf = (output: Output, memory: Memory): Either.Either<ReadonlyArray<Uint8Array>, string> => {
  if ("replyLine" in output) {
    const { replyLine, times = 1 } = output
    // Each with its own bytes: who receives a chunk may change it.
    return Either.right(Array.from({ length: times }, () => utf8.encode(`${replyLine}\n`)))
  }
  if ("replyChunks" in output) return Either.right(output.replyChunks.map(bytesOf))
  return Either.map(lineOf(output, memory), (line) => cut(utf8.encode(`${line}\n`), output.cutAt ?? []))
}

const lineOf = (output: Reply | ReplyWith, memory: Memory): Either.Either<string, string> => {
  const isWorkedOut = "replyWith" in output
  const frame = isWorkedOut ? output.replyWith(toReceived(memory)) : Codec.cli.fromJson(resolve(output.reply, memory))
  // A function that returns an `Unknown` says so itself.
  if (frame instanceof Unknown && !isWorkedOut && output.unchecked !== true) {
    return Either.left(
      `The reply is no frame of the CLI's: ${frame.detail}\nIf it is meant to be written as it is, use \`Script.replyUnchecked\` (in JSON: \`"unchecked": true\`).`
    )
  }
  return Either.mapLeft(Codec.cli.encode(frame), ({ detail }) => `The reply is no frame of the CLI's: ${detail}`)
}

const utf8 = new TextEncoder()

const bytesOf = (bytes: Bytes): Uint8Array =>
  typeof bytes === "string" ? utf8.encode(bytes) : Either.getOrThrow(Encoding.decodeBase64(bytes.base64))

const cut = (bytes: Uint8Array, places: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const at = [0, ...places.filter((place) => place > 0 && place < bytes.length).sort((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end)).filter((chunk) => chunk.length > 0)
}

/**
 * What is shown: frames as they come, and lines between them. Plain text unless a terminal is there to colour it.
 */
import * as Frame from "@claude-duplex/protocol/Frame"
import type { CliFrame, Unknown } from "@claude-duplex/protocol/Frame"
import type { TurnResult } from "@claude-duplex/protocol/TurnResult"
import * as TextDelta from "@claude-duplex/session/TextDelta"
import { Effect, Option } from "effect"
import { stdout } from "node:process"
import { styleText } from "node:util"

// Whoever reads this may have heard enough (`npm start | head`); then there is nobody to show anything to.
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
  process.exit(0)
})

const hasColours = stdout.isTTY === true && (process.env["NO_COLOR"] ?? "") === ""

const style = (format: Parameters<typeof styleText>[0]) => (text: string) => hasColours ? styleText(format, text) : text

export const dim = style("dim")
export const bold = style("bold")
export const cyan = style("cyan")
export const yellow = style("yellow")

/** How far the last line has come: what is streamed ends wherever it likes. Colours count, which does no harm. */
let column = 0

/** Goes on where the last text ended. */
export const write = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    stdout.write(text)
    const newline = text.lastIndexOf("\n")
    column = newline === -1 ? column + text.length : text.length - newline - 1
  })

/** The same, and a terminal does not cut words that came in one piece. */
const writeProse = (text: string): Effect.Effect<void> =>
  Effect.forEach(
    harmless(text).match(/\n|[^\S\n]*\S+|[^\S\n]+/g) ?? [],
    (word) =>
      Effect.suspend(() =>
        column + word.length > (stdout.columns || Infinity) ? write(`\n${word.trimStart()}`) : write(word)
      ),
    { discard: true }
  )

/** What somebody else wrote: a terminal would obey control characters in it. */
// oxlint-disable-next-line no-control-regex
const harmless = (text: string): string => text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "�")

/** Begins a new line, and ends it. */
export const line = (text: string): Effect.Effect<void> =>
  Effect.suspend(() => write(`${column > 0 ? "\n" : ""}${text}\n`))

/** What of a frame is worth showing: text as it is written, tools, and what they returned. */
export const show = (frame: CliFrame | Unknown): Effect.Effect<void> => {
  if (!Frame.isKnown(frame)) return Effect.void
  switch (frame.type) {
    case "stream_event":
      return Option.match(TextDelta.fromFrame(frame), {
        onNone: () => Effect.void,
        // What subagents say is between them and the model.
        onSome: ({ parentToolUseId, text }) => parentToolUseId === null ? writeProse(text) : Effect.void
      })
    case "assistant":
      return Effect.forEach(
        frame.message.content,
        (block) =>
          block.type === "tool_use"
            ? line(`${cyan("●")} ${bold(block.name)} ${shorten(inputOf(block.input))}`)
            : Effect.void
      )
    case "user": {
      const { content } = frame.message
      return typeof content === "string" ?
        Effect.void :
        Effect.forEach(content, (block) =>
          block.type === "tool_result" && typeof block.content === "string"
            ? line(dim(`  ${shorten(block.content)}`))
            : Effect.void)
    }
    default:
      return Effect.void
  }
}

/** How a turn ended, and what it cost. */
export const ended = ({ cost, errors, outcome }: TurnResult): Effect.Effect<void> => {
  const how = outcome === "interrupted"
    ? yellow("■ stopped ")
    : outcome === "error"
    ? yellow(`✗ ${errors.join(" ")} `)
    : ""
  return line(`${how}${dim(`$${cost.usd.toFixed(4)}`)}\n`)
}

/** What a tool is to do, in a line. */
const inputOf = (input: unknown): string =>
  typeof input === "object" && input !== null && "command" in input && typeof input.command === "string"
    ? input.command
    : JSON.stringify(input)

const shorten = (text: string): string => {
  const [first = "", ...rest] = harmless(text).split("\n")
  return first.length > 80 || rest.length > 0 ? `${first.slice(0, 80)} …` : first
}

/** What of a conversation is worth reading, as lines: what the model says, which tools it uses, how a turn ended. */
import { type CliFrame, isKnown, type Unknown } from "@claude-duplex/protocol/Frame"
import type { GetContextUsageResponse } from "@claude-duplex/protocol/schema/ContextUsage"
import type { PermissionUpdate } from "@claude-duplex/protocol/schema/PermissionRequest"
import type { TurnResult } from "@claude-duplex/protocol/TurnResult"
import * as TextDelta from "@claude-duplex/session/TextDelta"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Format from "../Format.js"
import type { Screen } from "./Screen.js"

/** Shows frames as they come. Remembers what was streamed, so that nothing is shown twice, and nothing left out. */
export const make = (screen: Screen) => {
  const { bold, cyan, dim, red, yellow } = screen.palette
  const room = () => Math.min(screen.columns(), 160)
  let isStreamed = false

  const frame = (shown: CliFrame | Unknown): Effect.Effect<void> => {
    if (!isKnown(shown)) return Effect.void
    switch (shown.type) {
      case "stream_event":
        return Option.match(TextDelta.fromFrame(shown), {
          onNone: () => Effect.void,
          // What subagents say is between them and the model.
          onSome: ({ parentToolUseId, text }) => {
            if (parentToolUseId !== null) return Effect.void
            isStreamed = true
            return screen.prose(harmlessProse(text))
          }
        })
      case "assistant": {
        const indent = shown.parent_tool_use_id === null ? "" : "  "
        return Effect.forEach(shown.message.content, (block) => {
          if (block.type === "tool_use") {
            const about = Format.oneLine(inputOf(block.input), Math.max(20, room() - block.name.length - 4))
            return screen.line(`${indent}${cyan("●")} ${bold(block.name)} ${about}`)
          }
          if (block.type !== "text" || indent !== "") return Effect.void
          const wasStreamed = isStreamed
          isStreamed = false
          // A CLI that does not stream says everything here.
          return wasStreamed ? Effect.void : screen.line(harmlessProse(block.text))
        }, { discard: true })
      }
      case "user": {
        const { content } = shown.message
        return typeof content === "string" ? Effect.void : Effect.forEach(
          content,
          (block) =>
            block.type === "tool_result" && shown.parent_tool_use_id === null
              ? screen.line(dim(`  ${Format.oneLine(resultOf(block.content), Math.max(20, room() - 3))}`))
              : Effect.void,
          { discard: true }
        )
      }
      case "system":
        return system(shown)
      default:
        return Effect.void
    }
  }

  const system = (shown: Extract<CliFrame, { readonly type: "system" }>): Effect.Effect<void> => {
    switch (shown.subtype) {
      case "compact_boundary":
        return screen.line(dim("… the conversation was compacted"))
      case "api_retry":
        return screen.line(
          yellow(
            `! the API failed (${
              shown.error_status ?? shown.error
            }); attempt ${shown.attempt} of ${shown.max_retries}, next in ${Format.millis(shown.retry_delay_ms)}`
          )
        )
      default:
        return Effect.void
    }
  }

  /** How a turn ended, what it cost, and how full the context is. */
  const ended = (
    { cost, errors, outcome }: TurnResult,
    context: Option.Option<GetContextUsageResponse>
  ): Effect.Effect<void> => {
    const how = outcome === "interrupted"
      ? yellow("■ stopped ")
      : outcome === "error"
      ? red(`✗ ${Format.oneLine(errors.join(" "), Math.max(40, room() - 12))} `)
      : ""
    const full = Option.match(context, {
      onNone: () => "",
      onSome: ({ maxTokens, percentage, totalTokens }) =>
        ` · context ${Math.round(percentage)}% (${Format.count(totalTokens)} of ${Format.count(maxTokens)})`
    })
    return screen.line(`${how}${dim(`${Format.usd(cost.usd)}${full}`)}\n`)
  }

  return { frame, ended }
}

/** What a tool is to do, in a line. */
export const inputOf = (input: unknown): string => {
  if (typeof input !== "object" || input === null) return JSON.stringify(input)
  for (const name of ["command", "file_path", "path", "pattern", "url", "query", "description", "prompt"]) {
    const value: unknown = Object.getOwnPropertyDescriptor(input, name)?.value
    if (typeof value === "string") return value
  }
  return JSON.stringify(input)
}

/** How many lines of a field are shown. */
const shownLines = 20

/** What a tool is to do, as a whole: its fields, one below the other. */
export const wholeInputOf = (input: { readonly [name: string]: unknown }): string =>
  Object.entries(input).flatMap(([name, value]) => {
    const lines = (typeof value === "string" ? value : JSON.stringify(value, null, 2)).split("\n").map(harmless)
    const more = lines.length - shownLines
    return [
      `  ${name}: ${lines[0]}`,
      ...lines.slice(1, shownLines).map((line) => `    ${line}`),
      ...(more > 0 ? [`    … ${Format.counted(more, "more line")}`] : [])
    ]
  }).join("\n")

/** A terminal would obey control characters, and show something else than what is there. */
// oxlint-disable-next-line no-control-regex
const harmless = (line: string): string => line.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, "�")

/** The same for text of many lines, which may have tabs in it. */
// oxlint-disable-next-line no-control-regex
const harmlessProse = (text: string): string => text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "�")

const resultOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content.map((block: unknown) =>
    typeof block === "object" && block !== null && "text" in block ? String(block.text) : "(no text)"
  ).join(" ")
}

/** What "always" would change, in the words of the CLI's own rules. */
export const describeUpdate = (update: PermissionUpdate): string => {
  switch (update.type) {
    case "addRules":
    case "replaceRules":
    case "removeRules":
      return update.rules.map(({ ruleContent, toolName }) =>
        ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`
      ).join(", ")
    case "setMode":
      return `mode ${update.mode}`
    case "addDirectories":
    case "removeDirectories":
      return update.directories.join(", ")
    default:
      return String(update.type)
  }
}

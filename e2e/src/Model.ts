/**
 * The model of the tests: it does what the prompt says, so that a test reads as a conversation.
 *
 * | the last thing it was told     | it                                                                     |
 * | ------------------------------ | ---------------------------------------------------------------------- |
 * | `CALL Tool {"json": "input"}`  | calls that tool; several lines are several calls at once               |
 * | the results of its calls       | says `done: ` and what they were; unless a prompt follows them         |
 * | `SLOW …`                       | says that word by word, with a pause after each                        |
 * | `THINK …`                      | thinks, and then says that                                             |
 * | `FAIL 529 …`                   | is not there: the API answers with that status                         |
 * | `HANG …`                       | never answers                                                          |
 * | anything else                  | says `echo: ` and that                                                 |
 */
import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
import * as Script from "@claude-duplex/loopback-api/ApiScript"
import * as Reply from "@claude-duplex/loopback-api/Reply"
import { Effect } from "effect"

/** What the user side has said since the model last spoke, block by block. */
const news = ({ body: { messages } }: ApiRequest.Messages): ReadonlyArray<ApiRequest.ContentBlock> =>
  messages
    .slice(messages.findLastIndex(({ role }) => role === "assistant") + 1)
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => typeof content === "string" ? [{ type: "text", text: content }] : content)

/**
 * The last thing that the user said, if that is what came last; else empty. A call that was interrupted has a result too, and
 * CLIs put it into one message with the prompt that comes next: what follows the last result counts. CLIs add reminders and
 * notes of their own; those are not the user's words.
 */
const lastPrompt = (request: ApiRequest.Messages): string => {
  const blocks = news(request)
  return ApiRequest.texts(blocks.slice(blocks.findLastIndex(({ type }) => type === "tool_result") + 1))
    .map((text) => text.replaceAll(/<system-reminder>[^]*?<\/system-reminder>/g, "").trim())
    .findLast((text) => text !== "" && !text.startsWith("[Image: ")) ?? ""
}

const calls = (prompt: string) =>
  Array.from(prompt.matchAll(/^CALL (\S+) (\{.*\})$/gm), ([, name = "", input = "{}"]) =>
    // A test wrote it.
    Reply.toolUseBlock({ name, input: JSON.parse(input) as unknown }))

/** The prompt that has the model call a tool. */
export const call = (tool: string, input: object): string => `CALL ${tool} ${JSON.stringify(input)}`

/** What the model says to this. */
export const reply = (request: ApiRequest.Messages): Reply.Reply => {
  const results = ApiRequest.toolResults(request)
  const prompt = lastPrompt(request)
  if (results.length > 0 && prompt === "") {
    return Reply.text(`done: ${results.map(({ isError, text }) => `${isError ? "error: " : ""}${text}`).join(" | ")}`)
  }
  const wanted = calls(prompt)
  if (wanted.length > 0) return Reply.blocks(wanted, { stopReason: "tool_use" })
  const [verb, ...rest] = prompt.split(" ")
  switch (verb) {
    case "SLOW":
      return Reply.text(rest.join(" "), { pace: "100 millis", chunk: 4 })
    case "THINK":
      return Reply.blocks([Reply.thinkingBlock("hm"), Reply.textBlock(rest.join(" "))])
    case "FAIL":
      return Reply.error(Number(rest[0]))
    case "HANG":
      return Reply.hang
    default:
      return Reply.text(`echo: ${prompt}`)
  }
}

/** It does so to every request of the conversation; what the CLI asks beside that is answered somehow. */
export const obedient: Script.Script = Script.conversation(Script.always(reply))

/** A model that can be made to wait: what begins with `WAIT` is answered as the rest of it, once the gate is open. */
export const gated = (gate: Effect.Effect<void>): Script.Script =>
  Script.conversation(
    Script.respond((request) => {
      const prompt = lastPrompt(request)
      return prompt.startsWith("WAIT ")
        ? Effect.as(gate, Reply.text(`waited: ${prompt.slice("WAIT ".length)}`))
        : Effect.succeed(reply(request))
    })
  )

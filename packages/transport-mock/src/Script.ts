/**
 * A CLI that follows a script: what it waits for, what it says, and when. Owns the language; `ScriptStep` has the data of
 * it, `ScriptError` what a host sees that strays from it. How bytes travel is not its business: {@link behaviour} plays
 * against any `Peer`, in memory (`MockTransport`) or at the end of a pipe (`fake-claude --script F`).
 *
 * **Semantics**
 *
 * - Steps run in order. A line that arrives while another step runs waits for the next step that expects something.
 * - After the last step the fake waits for the end of its input and exits with 0, as the CLI does. A frame that comes then
 *   is a `Leftover`, unless something skips or answers it.
 * - A host that sends something else, or nothing any more, fails the script with a `ScriptError`. One that sends nothing
 *   yet is waited for, unless the step says `within`.
 * - `ignore` and `respond` hold from where they stand to the end: first in the script, they hold for all of it. What a
 *   step expects goes before both, `respond` before `ignore`.
 * - An `initialize` that no step mentions is answered with a success that lists nothing: every session sends one.
 * - A frame that the protocol's schemas do not know fails the script in both directions, unless the step is `unchecked`
 *   (or ignores it).
 *
 * **As JSON**: an array of steps, or one step a line. Each step has one verb, and options beside it. Times are
 * milliseconds or texts (`"2 seconds"`).
 *
 * | step | options | |
 * | --- | --- | --- |
 * | `{"expect": {…}}` | `label`, `within`, `unchecked` | a frame with at least these fields, at every depth |
 * | `{"expectExactly": {…}}` | the same | a frame with these fields and no others |
 * | `{"expectAll": [{"expect": {…}, "label": …}, …]}` | `within` | all of these, in any order |
 * | `{"expectEnd": true}` | `within` | the end of the input |
 * | `{"reply": {…}}` | `cutAt` (bytes), `unchecked` | writes a frame |
 * | `{"replyLine": "…"}` | `times` | writes a line, whatever it is |
 * | `{"replyChunks": ["…", {"base64": "…"}]}` | | writes bytes, chunk by chunk, without a newline of its own |
 * | `{"delay": "1 second"}` | | lets time pass |
 * | `{"stderr": "…"}` | | writes to stderr |
 * | `{"exit": 1}`, `{"exit": "SIGTERM"}` | | ends the process |
 * | `{"ignore": {…}}` | | skips frames with at least these fields |
 * | `{"respond": {…}, "with": [{"reply": {…}}, …]}` | `unchecked` | answers frames with at least these fields |
 *
 * In replies and patterns `{"$received": "request_id"}` stands for the value at that path in the frame that was matched
 * last, and `{"$received": "message.content.0.text", "of": "prompt"}` for one in the frame that matched the label.
 *
 * ```json
 * [
 *   { "ignore": { "type": "keep_alive" } },
 *   { "expect": { "type": "control_request", "request": { "subtype": "initialize" } }, "within": "5 seconds" },
 *   { "reply": { "type": "control_response", "response": {
 *       "subtype": "success", "request_id": { "$received": "request_id" }, "response": { "commands": [] } } } },
 *   { "expect": { "type": "user" }, "label": "prompt" },
 *   { "delay": 200 },
 *   { "reply": { "type": "user", "isReplay": true, "parent_tool_use_id": null,
 *       "message": { "$received": "message", "of": "prompt" } }, "cutAt": [7, 40] },
 *   { "replyLine": "[warn] this is not a frame" },
 *   { "stderr": "shutting down\n" },
 *   { "expectEnd": true },
 *   { "exit": 0 }
 * ]
 * ```
 *
 * @since 0.1.0
 * @stability stable
 */
import { type CliFrame, type HostFrame, Unknown } from "@claude-duplex/protocol/Frame"
import type { JsonObject } from "@claude-duplex/protocol/schema/Json"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import { defined, type ExitWith } from "./internal/fields.js"
import { decodeSteps } from "./internal/scriptJson.js"
import { run } from "./internal/scriptRunner.js"
import type { Behaviour } from "./Peer.js"
import type { ScriptError } from "./ScriptError.js"
import * as ScriptStep from "./ScriptStep.js"

/** The schema of a step: all but those with functions, which only exist in memory. */
export const Step = ScriptStep.Step
export type Step = ScriptStep.Step

/** A script. */
export interface Script {
  readonly steps: ReadonlyArray<ScriptStep.AnyStep>
}

/**
 * Makes a script of steps.
 *
 * @example
 * ```ts
 * import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
 * import * as Script from "@claude-duplex/transport-mock/Script"
 *
 * const script = Script.make(
 *   Script.expect({ type: "control_request", request: { subtype: "initialize" } }),
 *   Script.reply({
 *     type: "control_response",
 *     response: { subtype: "success", request_id: Script.received("request_id"), response: {} }
 *   }),
 *   Script.expect({ type: "user" }, { label: "prompt", within: "5 seconds" }),
 *   Script.delay("1 second"),
 *   Script.exit("SIGKILL")
 * )
 *
 * const transport = MockTransport.make(Script.behaviour(script))
 * ```
 */
export const make = (...steps: ReadonlyArray<ScriptStep.AnyStep>): Script => ({ steps })

/**
 * Plays a script.
 *
 * @example
 * ```ts
 * import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
 * import * as Script from "@claude-duplex/transport-mock/Script"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const transport = yield* MockTransport.make(Script.behaviour(Script.make(Script.expect({ type: "user" }))))
 *   yield* transport.send(`{"type":"control_cancel_request","request_id":"1"}`)
 *   yield* transport.outcome // fails with a ScriptError
 * })
 * ```
 */
export const behaviour = (script: Script): Behaviour<ScriptError> => (peer) => run(script.steps, peer)

/**
 * Reads a script: a JSON array of steps, or one step a line.
 *
 * @example
 * ```ts
 * import * as Script from "@claude-duplex/transport-mock/Script"
 * import { Either } from "effect"
 *
 * const script = Either.getOrThrow(Script.fromJson(`[{ "expect": { "type": "user" } }, { "exit": 1 }]`))
 * ```
 */
export const fromJson = (text: string): Either.Either<Script, ScriptError> =>
  Either.map(decodeSteps(text), (steps) => ({ steps }))

/** What may be said about an expected frame. */
export interface ExpectOptions {
  /** A name for the frame, to refer to it later and to find the step in an error. */
  readonly label?: string | undefined
  /** How long the step waits before it fails. Not within {@link expectAll}, which has its own. */
  readonly within?: Duration.DurationInput | undefined
  /** Takes a frame that the protocol's schemas do not know. */
  readonly unchecked?: boolean | undefined
}

const expectation = ({ label, unchecked, within }: ExpectOptions = {}) =>
  defined({ label, unchecked, within: within === undefined ? undefined : Duration.toMillis(within) })

/**
 * Waits for a frame that has at least these fields.
 *
 * @example
 * ```ts
 * import * as Script from "@claude-duplex/transport-mock/Script"
 *
 * Script.expect({ type: "user", message: { content: "hello" } }, { label: "prompt", within: "1 second" })
 * ```
 */
export const expect = (pattern: JsonObject, options?: ExpectOptions): ScriptStep.Expect => ({
  expect: pattern,
  ...expectation(options)
})

/**
 * Waits for a frame that has these fields and no others.
 *
 * @example
 * ```ts
 * import * as Script from "@claude-duplex/transport-mock/Script"
 *
 * Script.expectExactly({ type: "control_cancel_request", request_id: Script.received("request_id", "ask") })
 * ```
 */
export const expectExactly = (frame: JsonObject, options?: ExpectOptions): ScriptStep.ExpectExactly => ({
  expectExactly: frame,
  ...expectation(options)
})

/**
 * Waits for a frame that a function accepts. It has no JSON form.
 *
 * @example
 * ```ts
 * import * as Frame from "@claude-duplex/protocol/Frame"
 * import * as Script from "@claude-duplex/transport-mock/Script"
 *
 * Script.expectWhere("a prompt with a uuid", (frame) => Frame.isKnown(frame) && frame.type === "user" && !!frame.uuid)
 * ```
 */
export const expectWhere = (
  description: string,
  predicate: (frame: HostFrame | Unknown) => boolean,
  options?: ExpectOptions
): ScriptStep.ExpectWhere => ({ expectWhere: predicate, description, ...expectation(options) })

/**
 * Waits for several frames, in any order. One that fits several of them is taken for the first of these.
 *
 * @example
 * ```ts
 * import * as Script from "@claude-duplex/transport-mock/Script"
 *
 * Script.expectAll([
 *   Script.expect({ type: "user" }, { label: "prompt" }),
 *   Script.expect({ type: "control_request", request: { subtype: "initialize" } }, { label: "init" })
 * ])
 * ```
 */
export const expectAll = (
  expectations: ReadonlyArray<ScriptStep.Expectation>,
  options?: Pick<ExpectOptions, "within">
): ScriptStep.ExpectAllWhere => ({ expectAll: expectations, ...expectation({ within: options?.within }) })

/**
 * Waits for the end of the host's input.
 *
 * @example
 * ```ts
 * import * as Script from "@claude-duplex/transport-mock/Script"
 *
 * Script.make(Script.expectEnd(), Script.stderr("the host has gone\n"), Script.exit(1))
 * ```
 */
export const expectEnd = (options?: Pick<ExpectOptions, "within">): ScriptStep.ExpectEnd => ({
  expectEnd: true,
  ...expectation({ within: options?.within })
})

/**
 * Stands for a value that was received, in a reply or in a pattern: the one at `path` in the frame that was matched last,
 * or in the one that matched the label `of`.
 *
 * @example
 * ```ts
 * import * as Script from "@claude-duplex/transport-mock/Script"
 *
 * Script.received("message.content.0.text", "prompt")
 * ```
 */
export const received = (path: ScriptStep.Path, of?: string): ScriptStep.Placeholder => ({
  $received: path,
  ...defined({ of })
})

/** What may be said about a reply. */
export interface ReplyOptions {
  /** Where the line is cut into chunks, in bytes from its beginning. */
  readonly cutAt?: ReadonlyArray<number> | undefined
}

/**
 * Writes a frame of the CLI's: given whole, with {@link received} in it, or by a function of what was received. What the
 * protocol does not know is given as an `Unknown`, or to {@link replyUnchecked}.
 *
 * @example
 * ```ts
 * import * as Script from "@claude-duplex/transport-mock/Script"
 *
 * Script.reply({ type: "keep_alive" }, { cutAt: [3] })
 *
 * Script.reply((received) => ({
 *   type: "control_response",
 *   response: { subtype: "error", request_id: received.text("request_id"), error: "not today" }
 * }))
 * ```
 */
export const reply = (
  frame: ScriptStep.Template<CliFrame> | Unknown | ((received: ScriptStep.Received) => CliFrame | Unknown),
  options: ReplyOptions = {}
): ScriptStep.Reply | ScriptStep.ReplyWith => {
  const { cutAt } = options
  if (typeof frame === "function") return { replyWith: frame, ...defined({ cutAt }) }
  return frame instanceof Unknown ? replyUnchecked(frame.raw, options) : { reply: frame, ...defined({ cutAt }) }
}

/**
 * Writes any JSON value as a line, {@link received} replaced: frames of next year, and frames with something missing.
 *
 * @example
 * ```ts
 * import * as Script from "@claude-duplex/transport-mock/Script"
 *
 * Script.replyUnchecked({ type: "hologram", of: Script.received("uuid", "prompt") })
 * ```
 */
export const replyUnchecked = (value: unknown, { cutAt }: ReplyOptions = {}): ScriptStep.Reply => ({
  reply: value,
  unchecked: true,
  ...defined({ cutAt })
})

/**
 * Writes a line, whatever it is; `times` (once), each time as a write of its own.
 *
 * @example
 * ```ts
 * import * as Script from "@claude-duplex/transport-mock/Script"
 *
 * Script.replyLine("[warn] low disk space")
 * Script.replyLine("x".repeat(1_000), { times: 1_000 })
 * ```
 */
export const replyLine = (
  line: string,
  options: { readonly times?: number | undefined } = {}
): ScriptStep.ReplyLine => ({ replyLine: line, ...defined({ times: options.times }) })

/**
 * Writes bytes, chunk by chunk, without a newline of its own.
 *
 * @example
 * ```ts
 * import * as Script from "@claude-duplex/transport-mock/Script"
 *
 * Script.make(
 *   Script.replyChunks(`{"type":`, Uint8Array.of(0x22)),
 *   Script.delay("10 seconds"),
 *   Script.replyChunks(`keep_alive"}\n`)
 * )
 * ```
 */
export const replyChunks = (...chunks: ReadonlyArray<string | Uint8Array>): ScriptStep.ReplyChunks => ({
  replyChunks: chunks.map((chunk) => typeof chunk === "string" ? chunk : { base64: Encoding.encodeBase64(chunk) })
})

/**
 * Lets time pass; in a test, as much as `TestClock` says.
 *
 * @example
 * ```ts
 * import * as Script from "@claude-duplex/transport-mock/Script"
 *
 * Script.delay("1 second")
 * ```
 */
export const delay = (duration: Duration.DurationInput): ScriptStep.Delay => ({ delay: Duration.toMillis(duration) })

/**
 * Writes to stderr, as it is.
 *
 * @example
 * ```ts
 * import * as Script from "@claude-duplex/transport-mock/Script"
 *
 * Script.stderr("error: unknown option '--no-such-flag'\n")
 * ```
 */
export const stderr = (text: string): ScriptStep.Stderr => ({ stderr: text })

/**
 * Ends the process, with a code or by a signal. No step after it runs.
 *
 * @example
 * ```ts
 * import * as Script from "@claude-duplex/transport-mock/Script"
 *
 * Script.exit(1)
 * Script.exit("SIGKILL")
 * ```
 */
export const exit = (how: ExitWith): ScriptStep.Exit => ({ exit: how })

/**
 * From here on, skips frames that have at least these fields and are not the ones expected.
 *
 * @example
 * ```ts
 * import * as Script from "@claude-duplex/transport-mock/Script"
 *
 * Script.ignore({ type: "keep_alive" })
 * ```
 */
export const ignore = (pattern: JsonObject): ScriptStep.Ignore => ({ ignore: pattern })

/**
 * From here on, answers frames that have at least these fields and are not the ones expected, as often as they come. In the
 * answer the frame that is answered is the one that was matched last.
 *
 * @example
 * ```ts
 * import * as Script from "@claude-duplex/transport-mock/Script"
 *
 * Script.respond(
 *   { type: "control_request", request: { subtype: "initialize" } },
 *   Script.reply({
 *     type: "control_response",
 *     response: { subtype: "success", request_id: Script.received("request_id"), response: {} }
 *   })
 * )
 * ```
 */
export const respond = (
  pattern: JsonObject,
  ...actions: ReadonlyArray<ScriptStep.AnyAction>
): ScriptStep.RespondWith => ({ respond: pattern, with: actions })

/**
 * Hooks of the host: what is called when something happens in the CLI. Owns their form, and that one is given the input of
 * exactly the event that it was made for; what it may answer is `HookAnswer`'s, and calling it the session's.
 *
 * A hook that fails is refused, and then **the CLI goes on**: a guard that breaks guards nothing, unless it says
 * `onFailure: "block"`, which CLIs that do not say `hook_on_failure_supported` ignore. What must not happen without consent
 * belongs in a `PermissionPolicy`.
 *
 * @since 0.1.0
 * @stability stable
 */
import type { HookInput } from "@claude-duplex/protocol/schema/HookCallback"
import { HookEvent } from "@claude-duplex/protocol/schema/HookCallback"
import type { HookOutput } from "@claude-duplex/protocol/schema/HookOutput"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { HandlerContext } from "./Handlers.js"
import type { Answer } from "./HookAnswer.js"

/** Identifies a call of a hook. */
export interface HookContext extends HandlerContext {
  /** The `tool_use` block that the call is about, if there is one. */
  readonly toolUseId: string | undefined
}

/** A hook. {@link on} and {@link background} make one whose input has the type of its event. */
export interface Hook<R = never> {
  readonly event: HookEvent
  /** Which of them: tools, as the CLI matches them. Default: all. */
  readonly matcher?: string | undefined
  /** How long the CLI waits for it. Default: the CLI's. */
  readonly timeout?: Duration.DurationInput | undefined
  /** What a failure does: nothing, or it blocks what the event is about, on CLIs that know this. Default: `continue`. */
  readonly onFailure?: "continue" | "block" | undefined
  /**
   * Whether the CLI waits. In the background it is told at once to go on, `run` goes on by itself as long as the session
   * lives, and what it returns is not sent. Default: `answer`.
   */
  readonly mode?: "answer" | "background" | undefined
  readonly run: (input: HookInput, context: HookContext) => Effect.Effect<HookOutput, unknown, R>
}

/** What the hook of this event is told. */
export type InputOf<E extends HookEvent> = Extract<HookInput, { readonly hook_event_name: E }>

/** How a hook is called. */
export interface Options {
  /** Which of them: tools, as the CLI matches them. Default: all. */
  readonly matcher?: string | undefined
  /** How long the CLI waits for it. A number is milliseconds, as everywhere in Effect. Default: the CLI's. */
  readonly timeout?: Duration.DurationInput | undefined
  /** What a failure does: nothing, or it blocks what the event is about, on CLIs that know this. Default: `continue`. */
  readonly onFailure?: "continue" | "block" | undefined
}

/**
 * A hook was called with the input of another event. It was not run.
 *
 * @example
 * ```ts
 * import { HookMismatch } from "@claude-duplex/session/Hook"
 *
 * new HookMismatch({ expected: "Stop", actual: "PreToolUse" })
 * ```
 */
export class HookMismatch
  extends Schema.TaggedError<HookMismatch>("@claude-duplex/session/HookMismatch")("HookMismatch", {
    expected: HookEvent,
    actual: Schema.String
  })
{
  override get message(): string {
    return `A hook of ${this.expected} was called for ${this.actual}.`
  }
}

/**
 * Whether this is the input of that event.
 *
 * @example
 * ```ts
 * import type { HookInput } from "@claude-duplex/protocol/schema/HookCallback"
 * import * as Hook from "@claude-duplex/session/Hook"
 *
 * const promptOf = (input: HookInput) => Hook.isInputOf("UserPromptSubmit", input) ? input.prompt : undefined
 * ```
 */
export const isInputOf = <const E extends HookEvent>(event: E, input: HookInput): input is InputOf<E> =>
  input.hook_event_name === event

/**
 * A hook that the CLI waits for.
 *
 * @example
 * ```ts
 * import * as Hook from "@claude-duplex/session/Hook"
 * import * as HookAnswer from "@claude-duplex/session/HookAnswer"
 * import { Effect } from "effect"
 *
 * const hook = Hook.on("PreToolUse", ({ tool_name }) =>
 *   Effect.succeed(tool_name === "Bash" ? HookAnswer.denyTool("No shell here.") : HookAnswer.proceed), {
 *   matcher: "Bash",
 *   timeout: "5 seconds",
 *   onFailure: "block"
 * })
 * ```
 */
export const on = <const E extends HookEvent, R = never>(
  event: E,
  // The event says which answers fit; an answer does not say which events are meant.
  run: (input: InputOf<NoInfer<E>>, context: HookContext) => Effect.Effect<Answer<NoInfer<E>>, unknown, R>,
  options?: Options
): Hook<R> => make(event, "answer", run, options)

/**
 * A hook that the CLI does not wait for: it goes on at once, and so does the hook, for as long as the session lives.
 *
 * @example
 * ```ts
 * import * as Hook from "@claude-duplex/session/Hook"
 * import { Effect } from "effect"
 *
 * const hook = Hook.background("PostToolUse", ({ duration_ms, tool_name }) => Effect.log(tool_name, duration_ms))
 * ```
 */
export const background = <const E extends HookEvent, R = never>(
  event: E,
  run: (input: InputOf<NoInfer<E>>, context: HookContext) => Effect.Effect<unknown, unknown, R>,
  options?: Options
): Hook<R> => make(event, "background", (input, context) => Effect.as(run(input, context), {}), options)

const make = <const E extends HookEvent, R>(
  event: E,
  mode: "answer" | "background",
  run: (input: InputOf<E>, context: HookContext) => Effect.Effect<HookOutput, unknown, R>,
  { matcher, onFailure, timeout }: Options = {}
): Hook<R> => ({
  event,
  mode,
  ...(matcher === undefined ? {} : { matcher }),
  ...(timeout === undefined ? {} : { timeout }),
  ...(onFailure === undefined ? {} : { onFailure }),
  run: (input, context) =>
    Effect.suspend(() =>
      isInputOf(event, input)
        ? run(input, context)
        : Effect.fail(new HookMismatch({ expected: event, actual: String(input.hook_event_name) }))
    )
})

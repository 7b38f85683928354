/**
 * What a hook may answer, by its event. Owns the making of answers, and that none is given to an event which it does not
 * belong to; what an answer looks like on the wire is the protocol's.
 *
 * An answer is a plain object, so common parts are added by spreading:
 * `{ ...HookAnswer.denyTool("no"), ...HookAnswer.systemMessage("A hook said no.") }`. Of two answers that are for one event
 * (`denyTool` and `addContext`) only the last would be left; give the context to `denyTool` instead.
 *
 * @since 0.1.0
 * @stability stable
 */
import type { HookEvent } from "@claude-duplex/protocol/schema/HookCallback"
import type { HookSpecificOutput, SyncHookOutput } from "@claude-duplex/protocol/schema/HookOutput"
import type { JsonObject } from "@claude-duplex/protocol/schema/Json"
import type * as Permission from "./Permission.js"

/** What may be answered to any event. */
export type Common = Omit<SyncHookOutput, "hookSpecificOutput">

/** The part of an answer that only this event has. */
export type SpecificOf<E extends HookEvent> = Extract<HookSpecificOutput, { readonly hookEventName: E }>

/** What may be answered to this event. */
export type Answer<E extends HookEvent> = Common & { readonly hookSpecificOutput?: SpecificOf<E> }

/** Events that have an answer of their own. */
export type SpecificEvent = HookSpecificOutput["hookEventName"]

/** Events after which the model can be told something. */
export type ContextEvent = ContextOf<HookSpecificOutput>

// Over each member of the union by itself.
type ContextOf<S> = S extends { readonly hookEventName: infer E } ? "additionalContext" extends keyof S ? E : never
  : never

/** Nothing to say: it goes on as if there were no hook. */
export const proceed: Common = {}

/** What the hook says is not shown. */
export const suppressOutput: Common = { suppressOutput: true }

/**
 * Holds up what the event is about; the model reads why. Before a tool or a prompt: it does not happen. After a tool: the
 * model is told. When the model stops: it goes on.
 *
 * @example
 * ```ts
 * import * as Hook from "@claude-duplex/session/Hook"
 * import * as HookAnswer from "@claude-duplex/session/HookAnswer"
 * import { Effect } from "effect"
 *
 * // Once: `stop_hook_active` says that the model goes on because of a hook already.
 * Hook.on("Stop", (input) =>
 *   Effect.succeed(input.stop_hook_active ? HookAnswer.proceed : HookAnswer.block("Run the tests first.")))
 * ```
 */
export const block = (reason: string): Common => ({ decision: "block", reason })

/**
 * Ends the turn; the user reads why.
 *
 * @example
 * ```ts
 * import * as HookAnswer from "@claude-duplex/session/HookAnswer"
 *
 * HookAnswer.stop("The budget is spent.")
 * ```
 */
export const stop = (reason: string): Common => ({ continue: false, stopReason: reason })

/**
 * Tells the user something.
 *
 * @example
 * ```ts
 * import * as HookAnswer from "@claude-duplex/session/HookAnswer"
 *
 * const answer = { ...HookAnswer.denyTool("not there"), ...HookAnswer.systemMessage("A hook kept a tool from running.") }
 * ```
 */
export const systemMessage = (text: string): Common => ({ systemMessage: text })

/**
 * Whatever an event has of its own.
 *
 * @example
 * ```ts
 * import * as HookAnswer from "@claude-duplex/session/HookAnswer"
 *
 * HookAnswer.specific("SessionStart", { additionalContext: "It is Friday.", sessionTitle: "Friday" })
 * ```
 */
export const specific = <const E extends SpecificEvent>(
  event: E,
  fields: Omit<SpecificOf<E>, "hookEventName">
): Answer<E> => ({
  // The fields are those of this event; TypeScript does not put a member of the union together again.
  hookSpecificOutput: { hookEventName: event, ...fields } as unknown as SpecificOf<E>
})

/**
 * Tells the model something.
 *
 * @example
 * ```ts
 * import * as Hook from "@claude-duplex/session/Hook"
 * import * as HookAnswer from "@claude-duplex/session/HookAnswer"
 * import { Effect } from "effect"
 *
 * Hook.on("UserPromptSubmit", () => Effect.succeed(HookAnswer.addContext("UserPromptSubmit", "It is Friday.")))
 * ```
 */
export const addContext = <const E extends ContextEvent>(event: E, text: string): Answer<E> => ({
  // Events of this kind are those that have the field.
  hookSpecificOutput: { hookEventName: event, additionalContext: text } as unknown as SpecificOf<E>
})

/** What can be added to a decision about a tool. */
export interface ToolOptions {
  /** What it runs with instead. */
  readonly updatedInput?: JsonObject | undefined
  readonly additionalContext?: string | undefined
}

/**
 * Lets a tool run without asking.
 *
 * @example
 * ```ts
 * import * as HookAnswer from "@claude-duplex/session/HookAnswer"
 *
 * HookAnswer.allowTool("harmless", { updatedInput: { command: "ls -l" } })
 * ```
 */
export const allowTool = (reason?: string, options?: ToolOptions): Answer<"PreToolUse"> =>
  decideTool("allow", reason, options)

/**
 * Keeps a tool from running; the model reads why.
 *
 * @example
 * ```ts
 * import * as HookAnswer from "@claude-duplex/session/HookAnswer"
 *
 * HookAnswer.denyTool("Not on a Friday.", { additionalContext: "It is Friday." })
 * ```
 */
export const denyTool = (reason: string, options?: Omit<ToolOptions, "updatedInput">): Answer<"PreToolUse"> =>
  decideTool("deny", reason, options)

/**
 * Has the question put, even if a rule would allow the tool.
 *
 * @example
 * ```ts
 * import * as HookAnswer from "@claude-duplex/session/HookAnswer"
 *
 * HookAnswer.askAboutTool("It writes outside of the project.")
 * ```
 */
export const askAboutTool = (reason?: string, options?: ToolOptions): Answer<"PreToolUse"> =>
  decideTool("ask", reason, options)

/**
 * Gives the model another output than the tool's.
 *
 * @example
 * ```ts
 * import * as HookAnswer from "@claude-duplex/session/HookAnswer"
 *
 * HookAnswer.replaceToolOutput("(secrets removed)")
 * ```
 */
export const replaceToolOutput = (
  output: unknown,
  options?: Omit<ToolOptions, "updatedInput">
): Answer<"PostToolUse"> => specific("PostToolUse", { updatedToolOutput: output, ...context(options) })

/**
 * Answers a permission question before it is asked.
 *
 * @example
 * ```ts
 * import * as HookAnswer from "@claude-duplex/session/HookAnswer"
 * import * as Permission from "@claude-duplex/session/Permission"
 *
 * HookAnswer.decidePermission(Permission.deny("Not on a Friday."))
 * ```
 */
export const decidePermission = (decision: Permission.Allow | Permission.Deny): Answer<"PermissionRequest"> =>
  specific("PermissionRequest", {
    decision: decision._tag === "Allow"
      ? {
        behavior: "allow",
        ...(decision.updatedInput === undefined ? {} : { updatedInput: decision.updatedInput }),
        ...(decision.updatedPermissions === undefined ? {} : { updatedPermissions: decision.updatedPermissions })
      }
      : {
        behavior: "deny",
        message: decision.message,
        ...(decision.interrupt === undefined ? {} : { interrupt: decision.interrupt })
      }
  })

const decideTool = (
  permissionDecision: "allow" | "deny" | "ask",
  reason: string | undefined,
  options: ToolOptions | undefined
): Answer<"PreToolUse"> =>
  specific("PreToolUse", {
    permissionDecision,
    ...(reason === undefined ? {} : { permissionDecisionReason: reason }),
    ...(options?.updatedInput === undefined ? {} : { updatedInput: options.updatedInput }),
    ...context(options)
  })

const context = (options: Pick<ToolOptions, "additionalContext"> | undefined) =>
  options?.additionalContext === undefined ? {} : { additionalContext: options.additionalContext }

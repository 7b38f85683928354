/**
 * Permissions of a session: the question, as a handler sees it, and what it may decide. Nobody decides: denied.
 *
 * @since 0.1.0
 * @stability stable
 */
import type {
  CanUseToolRequest,
  PermissionAllow,
  PermissionUpdate
} from "@claude-duplex/protocol/schema/PermissionRequest"
import type * as Effect from "effect/Effect"

/** A tool wants to run. */
export interface Request {
  /** The name under which it is answered later, if it is deferred. */
  readonly id: string
  readonly toolName: string
  readonly input: { readonly [name: string]: unknown }
  /** Changes to the rules that the CLI suggests: those that are accepted are sent back with the decision. */
  readonly suggestions: ReadonlyArray<PermissionUpdate>
  /** Everything that the CLI said. */
  readonly raw: CanUseToolRequest
}

/**
 * A question of the CLI's, as handlers see it.
 *
 * @example
 * ```ts
 * import * as Permission from "@claude-duplex/session/Permission"
 *
 * Permission.request("1", { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" } }).toolName // "Bash"
 * ```
 */
export const request = (id: string, raw: CanUseToolRequest): Request => ({
  id,
  toolName: raw.tool_name,
  input: raw.input,
  suggestions: raw.permission_suggestions ?? [],
  raw
})

/** How a person decided, for the CLI's statistics: once, from now on, or against it. */
export type DecisionClassification = NonNullable<PermissionAllow["decisionClassification"]>

/** The tool may run. */
export interface Allow {
  readonly _tag: "Allow"
  /** What it runs with. Default: what was asked for. */
  readonly updatedInput?: { readonly [name: string]: unknown } | undefined
  readonly updatedPermissions?: ReadonlyArray<PermissionUpdate> | undefined
  readonly toolUseId?: string | undefined
  readonly decisionClassification?: DecisionClassification | undefined
}

/** The tool may not run; the model reads why. */
export interface Deny {
  readonly _tag: "Deny"
  readonly message: string
  /** Ends the turn as well. */
  readonly interrupt?: boolean | undefined
  readonly toolUseId?: string | undefined
  readonly decisionClassification?: DecisionClassification | undefined
}

/** Somebody else decides, later, by `respondToPermission`. */
export interface Defer {
  readonly _tag: "Defer"
}

/** What a handler may decide. */
export type Decision = Allow | Deny | Defer

/** Decides. One that fails, dies or is interrupted has denied. */
export type Handler<E = never, R = never> = (request: Request) => Effect.Effect<Decision, E, R>

/**
 * Allows a tool to run.
 *
 * @example
 * ```ts
 * import * as Permission from "@claude-duplex/session/Permission"
 * import { Effect } from "effect"
 *
 * const everything: Permission.Handler = () => Effect.succeed(Permission.allow())
 * ```
 */
export const allow = (options?: Omit<Allow, "_tag">): Allow => ({ _tag: "Allow", ...options })

/**
 * Denies a tool to run.
 *
 * @example
 * ```ts
 * import * as Permission from "@claude-duplex/session/Permission"
 *
 * Permission.deny("Not on a Friday.", { interrupt: true })
 * ```
 */
export const deny = (message: string, options?: Omit<Deny, "_tag" | "message">): Deny => ({
  _tag: "Deny",
  message,
  ...options
})

/** Leaves the decision to somebody else. */
export const defer: Defer = { _tag: "Defer" }

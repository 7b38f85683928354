/**
 * Rules about tools, and a `Permission.Handler` made of them. A policy looks at a question and decides, or has no opinion;
 * then the next one is asked, and when nobody has one, the answer is no. This owns the matching and its order; what a
 * decision is, is `Permission`'s.
 *
 * In doubt, no:
 * - A policy that fails or dies has failed for all: nobody after it is asked, and the session denies.
 * - To allow, everything must match, and whole: a pattern covers the text from its first to its last character. To deny, a
 *   part is enough. A field that is not there matches nothing; one that is there and is not text cannot be judged by a text
 *   or a pattern, so it is not allowed, and is denied.
 * - Flags do not matter to where a pattern matches: `g` and `y` remember nothing between questions, and `m` does not let
 *   another line in.
 *
 * What it cannot do: a pattern is not a sandbox. `/git log.+/` covers `git log; rm -rf /`, and a shell has more ways to
 * say a thing than a pattern has to forbid it; list whole commands to allow them, and do not rely on a list of denials. A
 * rule says nothing of fields that it does not name: `dangerouslyDisableSandbox` goes with an allowed `command` unless a
 * rule before it denies that. And the CLI asks only what its own rules leave open: a policy that is never asked has allowed
 * nothing, and forbidden nothing.
 *
 * There is no list of harmless tools here: which there are depends on the version, and what one can do on its input.
 *
 * @since 0.1.0
 * @stability experimental
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Permission from "./Permission.js"

/** Decides, or has no opinion. */
export type Policy<E = never, R = never> = (
  request: Permission.Request
) => Effect.Effect<Option.Option<Permission.Decision>, E, R>

/**
 * Which tools: a name, the beginning of one and `*` (`mcp__calc__*`: every tool of the server `calc`, and of one whose name
 * begins with `calc__`), a pattern, or whatever a function says.
 */
export type ToolPattern = string | RegExp | ((name: string) => boolean)

/** What a field of the input must be: this text, a text of this pattern, or whatever a function says. */
export type FieldPattern = string | RegExp | ((value: unknown) => boolean)

/** Which calls: of these tools, and if fields are named, only with all of them as they should be. */
export interface Match {
  readonly tool: ToolPattern
  readonly input?: { readonly [field: string]: FieldPattern } | undefined
}

/** Which calls are denied, and what the model reads. */
export interface DenyMatch extends Match {
  readonly message?: string | undefined
  /** Ends the turn as well. */
  readonly interrupt?: boolean | undefined
}

/** Has no opinion on anything. */
export const abstain: Policy = () => Effect.succeedNone

/**
 * Allows these tools, whatever their input.
 *
 * @example
 * ```ts
 * import * as PermissionPolicy from "@claude-duplex/session/PermissionPolicy"
 *
 * PermissionPolicy.allowTools("Read", "Grep", "mcp__calc__*")
 * ```
 */
export const allowTools = (...names: ReadonlyArray<string>): Policy =>
  firstMatch(...names.map((tool) => allowWhen({ tool })))

/**
 * Denies these tools, whatever their input.
 *
 * @example
 * ```ts
 * import * as PermissionPolicy from "@claude-duplex/session/PermissionPolicy"
 *
 * PermissionPolicy.denyTools(["Bash", "WebFetch"], "Not in this project.")
 * ```
 */
export const denyTools = (names: ReadonlyArray<string>, message?: string): Policy =>
  firstMatch(...names.map((tool) => denyWhen({ tool, message })))

/**
 * Allows the calls that match, whole.
 *
 * @example
 * ```ts
 * import * as PermissionPolicy from "@claude-duplex/session/PermissionPolicy"
 *
 * PermissionPolicy.allowWhen({ tool: "Bash", input: { command: /git (status|diff|log)/ } }) // and not `git log; rm -rf /`
 * ```
 */
export const allowWhen = (match: Match): Policy => decideWhen(compile(match, allowing), Permission.allow())

/**
 * Denies the calls of which a part matches.
 *
 * @example
 * ```ts
 * import * as PermissionPolicy from "@claude-duplex/session/PermissionPolicy"
 *
 * PermissionPolicy.denyWhen({
 *   tool: /^(Read|Edit|Write)$/,
 *   input: { file_path: /\.env/ },
 *   message: "Secrets stay where they are."
 * })
 * ```
 */
export const denyWhen = (match: DenyMatch): Policy =>
  decideWhen(
    compile(match, denying),
    Permission.deny(
      match.message ?? "A rule of the host denies this.",
      match.interrupt === undefined ? {} : { interrupt: match.interrupt }
    )
  )

/**
 * A handler as a policy: one that always has an opinion.
 *
 * @example
 * ```ts
 * import * as Permission from "@claude-duplex/session/Permission"
 * import * as PermissionPolicy from "@claude-duplex/session/PermissionPolicy"
 * import { Effect } from "effect"
 *
 * PermissionPolicy.fromHandler(() => Effect.succeed(Permission.defer))
 * ```
 */
export const fromHandler = <E, R>(handler: Permission.Handler<E, R>): Policy<E, R> => (request) =>
  Effect.asSome(Effect.suspend(() => handler(request)))

/** What the policies may fail with. */
type Failure<P extends ReadonlyArray<Policy<unknown, unknown>>> = Effect.Effect.Error<ReturnType<P[number]>>

/** What the policies need. */
type Needs<P extends ReadonlyArray<Policy<unknown, unknown>>> = Effect.Effect.Context<ReturnType<P[number]>>

/**
 * The opinion of the first one that has one. They are asked one after the other, and none after a failure.
 *
 * @example
 * ```ts
 * import * as PermissionPolicy from "@claude-duplex/session/PermissionPolicy"
 *
 * PermissionPolicy.firstMatch(
 *   PermissionPolicy.denyWhen({ tool: "Read", input: { file_path: /\.env/ } }),
 *   PermissionPolicy.allowTools("Read")
 * )
 * ```
 */
export const firstMatch = <const P extends ReadonlyArray<Policy<unknown, unknown>>>(
  ...policies: P
): Policy<Failure<P>, Needs<P>> =>
(request) => {
  const from = (index: number): Effect.Effect<Option.Option<Permission.Decision>, unknown, unknown> => {
    const policy = policies[index]
    if (policy === undefined) return Effect.succeedNone
    return Effect.flatMap(
      // One that throws before it returns an effect has failed like any other.
      Effect.suspend(() => policy(request)),
      (opinion) => Option.isSome(opinion) ? Effect.succeed(opinion) : from(index + 1)
    )
  }
  // Only these policies run in it, so it fails and needs what they do; TypeScript does not follow the list.
  return from(0) as Effect.Effect<Option.Option<Permission.Decision>, Failure<P>, Needs<P>>
}

/** What happens to a question on which a policy has no opinion. */
export interface HandlerOptions<E = never, R = never> {
  /** Who or what decides then. Default: denied. */
  readonly otherwise?: Permission.Handler<E, R> | Permission.Decision | undefined
}

/**
 * A handler that asks a policy.
 *
 * @example
 * ```ts
 * import * as Permission from "@claude-duplex/session/Permission"
 * import * as PermissionPolicy from "@claude-duplex/session/PermissionPolicy"
 * import * as Session from "@claude-duplex/session/Session"
 *
 * // What no rule decides is left to whoever answers by `respondToPermission`.
 * const Conversation = Session.layer({
 *   onPermission: PermissionPolicy.toHandler(PermissionPolicy.allowTools("Read"), { otherwise: Permission.defer })
 * })
 * ```
 */
export const toHandler = <E, R, E2 = never, R2 = never>(
  policy: Policy<E, R>,
  { otherwise = Permission.deny("No rule of the host allows this.") }: HandlerOptions<E2, R2> = {}
): Permission.Handler<E | E2, R | R2> =>
(request) =>
  Effect.flatMap(
    Effect.suspend(() => policy(request)),
    Option.match({
      onSome: (decision) => Effect.succeed(decision),
      onNone: (): Effect.Effect<Permission.Decision, E2, R2> =>
        typeof otherwise === "function" ? otherwise(request) : Effect.succeed(otherwise)
    })
  )

type Matches = (request: Permission.Request) => boolean

/** How strictly is matched: the one thing in which to allow and to deny differ. */
interface Strictness {
  readonly pattern: (pattern: RegExp) => (text: string) => boolean
  /** What a field that is no text is to a text or a pattern. */
  readonly notText: boolean
  /** Whether what a function returned is a yes; callers without types return all kinds of things. */
  readonly isYes: (answer: unknown) => boolean
}

const allowing: Strictness = {
  pattern: (pattern) => {
    // Sticky from 0 to where nothing follows. `^` and `$` would do the same, but not under `m`.
    const whole = new RegExp(`(?:${pattern.source})(?![\\s\\S])`, `${pattern.flags.replace(/[gy]/g, "")}y`)
    return (text) => {
      whole.lastIndex = 0
      return whole.test(text)
    }
  },
  notText: false,
  isYes: (answer) => answer === true
}

const denying: Strictness = {
  pattern: (pattern) => {
    const part = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ""))
    return (text) => part.test(text)
  },
  notText: true,
  isYes: Boolean
}

const compile = (match: Match, strictness: Strictness): Matches => {
  const isTool = compileTool(match.tool, strictness)
  const fields = Object.entries(match.input ?? {}).map(([field, pattern]) => {
    const isValue = compileField(pattern, strictness)
    return ({ input }: Permission.Request) => Object.hasOwn(input, field) && isValue(input[field])
  })
  return (request) => isTool(request.toolName) && fields.every((matches) => matches(request))
}

const compileTool = (tool: ToolPattern, { isYes, pattern }: Strictness): (name: string) => boolean => {
  if (typeof tool === "function") return (name) => isYes(tool(name))
  if (typeof tool !== "string") return pattern(tool)
  const star = tool.indexOf("*")
  if (star === -1) return (name) => name === tool
  // One that never matches would be a denial that never comes.
  if (star !== tool.length - 1) throw new Error(`A tool's name may have a * at its end only: ${tool}`)
  const beginning = tool.slice(0, -1)
  return (name) => name.startsWith(beginning)
}

const compileField = (
  field: FieldPattern,
  { isYes, notText, pattern }: Strictness
): (value: unknown) => boolean => {
  if (typeof field === "function") return (value) => isYes(field(value))
  const isText = typeof field === "string" ? (text: string) => text === field : pattern(field)
  return (value) => typeof value === "string" ? isText(value) : notText
}

const decideWhen = (matches: Matches, decision: Permission.Decision): Policy => (request) =>
  Effect.sync(() => matches(request) ? Option.some(decision) : Option.none())

import type { CliOptions } from "../CliOptions.js"
import type { CliOptionsReason } from "../CliOptionsError.js"
import { CliOptionsError } from "../CliOptionsError.js"

type Name = keyof CliOptions

/** Why no process should be started with these options, if there is a reason. */
export const check = (options: CliOptions): CliOptionsError | undefined => {
  for (const rule of conflicts) {
    if (rule.applies(options)) return refuse("Conflict", rule.options, rule.detail)
  }
  for (const name of names(options)) {
    const detail = checkValue(name, options)
    if (detail !== undefined) return refuse("InvalidValue", [name], detail)
  }
  return undefined
}

const refuse = (reason: CliOptionsReason, options: ReadonlyArray<Name>, detail: string) =>
  new CliOptionsError({ reason, options, detail })

/** Each with its evidence: what the CLIs 1.0.128 and 2.1.326 do when they are started so. */
const conflicts: ReadonlyArray<{
  readonly options: ReadonlyArray<Name>
  readonly applies: (options: CliOptions) => boolean
  readonly detail: string
}> = [
  {
    // Both start, and follow `--resume` in whatever order: the other is lost without a word.
    options: ["resume", "continue"],
    applies: (o) => o.resume !== undefined && o.continue === true,
    detail: "they name two different sessions. Give `resume` for that session, or `continue` for the last one."
  },
  {
    // Both start a plain new session.
    options: ["forkSession"],
    applies: (o) => o.forkSession === true && !continues(o),
    detail: "there is nothing to fork. Give `resume` or `continue` as well."
  },
  {
    // Both exit 1. With `--fork-session` too, 2.1.326 starts; 1.0.128 still exits 1 and says why.
    options: ["sessionId", "resume", "continue"],
    applies: (o) => o.sessionId !== undefined && continues(o) && o.forkSession !== true,
    detail: "a continued session keeps its id. Leave `sessionId` away, or set `forkSession`."
  },
  {
    // Both exit 1, also with `--continue`: "--resume-session-at requires --resume".
    options: ["resumeSessionAt"],
    applies: (o) => o.resumeSessionAt !== undefined && o.resume === undefined,
    detail: "the message's session is missing. Give `resume` as well."
  },
  {
    // Both start in `bypassPermissions`, also when the mode is `plan`: what asked for care is what is lost.
    options: ["dangerouslySkipPermissions", "permissionMode"],
    applies: (o) =>
      o.dangerouslySkipPermissions === true && o.permissionMode !== undefined &&
      o.permissionMode !== "bypassPermissions",
    detail: "skipping permissions overrides the mode. Leave one of them away."
  },
  {
    // 2.1.326 follows `--thinking` and ignores the number; 1.0.128 has neither.
    options: ["thinking", "maxThinkingTokens"],
    applies: (o) => o.thinking !== undefined && o.maxThinkingTokens !== undefined,
    detail: "the number would be ignored. Leave one of them away."
  },
  {
    // 1.0.128 exits 1; 2.1.326 starts, with a fallback that is none.
    options: ["fallbackModel", "model"],
    applies: (o) => o.fallbackModel !== undefined && o.fallbackModel === o.model,
    detail: "a model cannot stand in for itself. Give another one."
  }
]

const continues = (options: CliOptions) => options.resume !== undefined || options.continue === true

// `Object.keys` forgets the type of what it lists. A key that is not an option gets the checks that all values get.
const names = (options: CliOptions) => Object.keys(options) as ReadonlyArray<Name>

const checkValue = (name: Name, options: CliOptions): string | undefined => {
  const value: unknown = options[name]
  const specific = checks[name]
  if (typeof value === "string") return checkText(value, mayBeEmpty.has(name)) ?? specific?.(value)
  if (typeof value === "number") return specific?.(value)
  if (Array.isArray(value)) {
    for (const element of value) {
      const detail = checkText(String(element), mayBeEmpty.has(name)) ?? specific?.(element)
      if (detail !== undefined) return detail
    }
    return undefined
  }
  return typeof value === "object" && value !== null ? checkJson(value) : undefined
}

/** An empty prompt and an empty raw argument mean something; an empty model or path is a variable that was not set. */
const mayBeEmpty: ReadonlySet<Name> = new Set<Name>(["systemPrompt", "appendSystemPrompt", "extraArgs"])

const checkText = (value: string, mayBeEmpty: boolean): string | undefined =>
  value.includes("\0")
    // An argument ends at its first NUL, so `spawn` throws.
    ? "it contains a NUL character, which no argument can. Remove it."
    : value === "" && !mayBeEmpty
    ? "it is empty. Give a value, or leave it away."
    : undefined

const checkJson = (value: object): string | undefined => {
  try {
    JSON.stringify(value)
    return undefined
  } catch {
    // What `JSON.stringify` says quotes property names, and they may be secret.
    return "it cannot be written as JSON: it contains itself, or a bigint."
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const worktreeName = /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/

const unless = (fine: (value: unknown) => boolean, detail: string) => (value: unknown) =>
  fine(value) ? undefined : detail

const oneRule = unless(
  (value) => typeof value === "string" && !isSplit(value),
  "the CLI would split this element in two, at a comma or space outside of the first parentheses. Give one rule an " +
    "element; a rule that needs them goes into `settings` as `permissions`."
)

const checks: { readonly [K in Name]?: (value: unknown) => string | undefined } = {
  // Both exit 1: "Must be a valid UUID".
  sessionId: unless((value) => typeof value === "string" && uuid.test(value), "it must be a UUID."),
  // 2.1.326 exits 1 on everything else.
  worktree: unless(
    (value) => typeof value === "string" && worktreeName.test(value),
    "a name has letters, digits, dots, underscores and dashes, in parts divided by slashes."
  ),
  // Both start with 0, -1 and 1.5, and none of these is a limit.
  maxTurns: unless((value) => Number.isSafeInteger(value) && Number(value) > 0, "it must be a whole number above 0."),
  // 2.1.326 exits 1: "must be a number greater than 0".
  maxBudgetUsd: unless((value) => Number.isFinite(value) && Number(value) > 0, "it must be a number above 0."),
  // 2.1.326 exits 1 on what is no number; 0 turns thinking off.
  maxThinkingTokens: unless(
    (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    "it must be a whole number, 0 or above."
  ),
  // They are joined by commas, so that one with a comma in it would be two.
  settingSources: unless(
    (value) => typeof value === "string" && /^[A-Za-z]+$/.test(value),
    "a source is one word: \"user\", \"project\" or \"local\"."
  ),
  allowedTools: oneRule,
  disallowedTools: oneRule,
  // The word "default" has no separator, so it passes.
  tools: oneRule
}

/** Both CLIs divide a rule list at commas and spaces, except between a `(` and the next `)`: they do not count depth. */
const isSplit = (rule: string): boolean => {
  let inside = false
  for (const character of rule.trim()) {
    if (character === "(") inside = true
    else if (character === ")") inside = false
    else if (!inside && (character === "," || character === " ")) return true
  }
  return false
}

/**
 * What `doctor` looks at, each as an effect that does not fail. Owns the judgements; what is known of each CLI is `tried`,
 * and the turn on loopback is `roundTrip`.
 */
import * as ClaudeVersion from "@claude-duplex/transport-node/ClaudeVersion"
import * as CliEnvironment from "@claude-duplex/transport-node/CliEnvironment"
import type { Executable } from "@claude-duplex/transport-node/Executable"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Check from "./Check.js"
import { tried } from "./tried.js"

/** Which version it is, and what is known of it. */
export const version = (executable: Executable): Effect.Effect<Check.Check> =>
  ClaudeVersion.claudeVersion(executable).pipe(
    Effect.map(judge),
    Effect.catchAll(({ message }) =>
      Effect.succeed(Check.failed("version", message, { advice: ["Give the path of another with --claude."] }))
    )
  )

/** What is to be said of a version. */
export const judge = (found: ClaudeVersion.Version): Check.Check => {
  const name = ClaudeVersion.formatVersion(found)
  const old = ClaudeVersion.checkVersion(found)
  if (Option.isSome(old)) {
    return Check.failed("version", `it is ${name}, and nothing before ${old.value.minimum} was tried`, {
      advice: ["Update it: claude update, or npm install -g @anthropic-ai/claude-code"],
      data: { version: name }
    })
  }
  const isNotNewer = (one: string) =>
    Option.exists(ClaudeVersion.parseVersion(one), (other) => ClaudeVersion.compareVersions(other, found) <= 0)
  const [newest] = tried
  const nearest = tried.find((one) => isNotNewer(one.version))
  const lacks = nearest?.lacks ?? []
  const data = { version: name, tried: nearest?.version, lacks }
  const advice = lacks.length === 0 ? [] : [`It cannot do all that newer ones do. Missing: ${lacks.join("; ")}.`]
  if (nearest?.version === name) return Check.ok("version", `it is ${name}, which was tried`, { advice, data })
  return nearest === newest
    ? Check.ok("version", `it is ${name}, newer than the newest that was tried (${newest?.version ?? ""})`, {
      advice: ["What is new in it is passed on as Unknown frames. claude-duplex check shows them in a recording."],
      data
    })
    : Check.ok("version", `it is ${name}; the nearest before it that was tried is ${nearest?.version ?? ""}`, {
      advice,
      data
    })
}

/** Variables that a CLI should not inherit. The transport removes them; another host may not. */
const leaks = (env: CliEnvironment.Variables): ReadonlyArray<string> => {
  const kept = CliEnvironment.make({ parent: env })
  return Object.keys(env).filter((name) => env[name] !== undefined && kept[name] !== env[name])
}

/** Variables that take a CLI elsewhere than to its usual API, or give it another key. */
const redirects = (env: CliEnvironment.Variables): ReadonlyArray<string> =>
  Object.keys(env).filter((name) =>
    env[name] !== undefined && /^(ANTHROPIC_.*|CLAUDE_CODE_USE_.*|HTTPS?_PROXY|https?_proxy)$/.test(name)
  )

/** What of the environment gets in the way of a CLI, by name: values may be secret. */
export const environment = (env: CliEnvironment.Variables): Check.Check => {
  const leaked = leaks(env)
  const redirecting = redirects(env)
  const data = { leaks: leaked, redirects: redirecting }
  const told = redirecting.length === 0 ? [] : [`claude heeds ${redirecting.join(", ")}.`]
  return leaked.length === 0
    ? Check.ok("environment", "nothing in it would confuse a CLI", { advice: told, data })
    : Check.warning("environment", `a CLI must not inherit ${leaked.join(", ")}`, {
      advice: ["This toolkit takes them out. A host that does not should be started without them.", ...told],
      data
    })
}

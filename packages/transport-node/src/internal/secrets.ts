/**
 * What of a CLI's options is secret: the values of headers, of variables and fields whose names say so, and whatever is
 * wrapped in `Redacted`. Known so that it can be taken out of what is kept, and warned about where others can see it.
 */
import * as Redactor from "@claude-duplex/protocol/Redactor"
import * as Redacted from "effect/Redacted"
import type { Variables } from "../CliEnvironment.js"
import type { CliOptions } from "../CliOptions.js"
import { valuesOf } from "./rawArguments.js"

/** Variables as a host gives them. */
export interface GivenVariables {
  readonly [name: string]: string | Redacted.Redacted<string> | undefined
}

/** Variables as a process gets them. */
export const revealed = (given: GivenVariables): Variables =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, Redacted.isRedacted(value) ? Redacted.value(value) : value])
  )

/** What a host wrapped, whatever its name. */
export const wrapped = (given: GivenVariables): ReadonlyArray<string> =>
  Object.values(given).flatMap((value) => Redacted.isRedacted(value) ? Redactor.withWords(Redacted.value(value)) : [])

/** Secrets among the options that become arguments: in servers and settings, which is where they belong. */
export const inOptions = (
  { extraArgs = [], mcpConfig = [], mcpServers, settings }: CliOptions
): ReadonlyArray<string> =>
  [
    mcpServers,
    settings,
    ...mcpConfig,
    ...["--mcp-config", "--settings"].flatMap((flag) => valuesOf(extraArgs, flag))
  ].flatMap((given) => typeof given === "string" ? inText(given) : under(given))

/** What is not secret as such, and nobody else's business. */
export const prompts = ({ appendSystemPrompt, systemPrompt }: CliOptions): ReadonlyArray<string> =>
  [appendSystemPrompt, systemPrompt].filter((prompt) => prompt !== undefined)

/** Secrets in a value; all of its texts are, if it is in a field that says so. */
const under = (value: unknown, isSecret = false): ReadonlyArray<string> => {
  if (typeof value === "string") return isSecret ? Redactor.withWords(value) : []
  if (Array.isArray(value)) return value.flatMap((element) => under(element, isSecret))
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => under(inner, isSecret || Redactor.isSecretName(name)))
}

/** Text is JSON, or the name of a file. */
const inText = (text: string): ReadonlyArray<string> => {
  try {
    return under(JSON.parse(text))
  } catch {
    return []
  }
}

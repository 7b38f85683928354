/**
 * Takes secrets out of text before it is kept or shown: out of a recording, a log, the last words of a process. Pure; where
 * it is used is up to the others.
 *
 * A secret is known by one of three things: its value, because somebody named it; the name of the field of JSON that it is
 * in; or its shape, because keys and tokens of well-known services have one. Each is a {@link Redactor} of its own, and
 * {@link make} is all of them.
 *
 * - Only the secret goes: a line of JSON stays a line of JSON, with the same fields, and ids stay what they are. So a redacted
 *   recording can still be replayed.
 * - JSON is looked at text by text, as it is meant and not as it is escaped; so is JSON that is a text in other JSON, and
 *   there a value goes even where that leaves no JSON. In other text, a value is also found as JSON writes it, once and
 *   twice, and as a URL does.
 * - What cannot be found: a value that reaches across the punctuation of a line of JSON, a secret that nobody named and that looks like any other word, one in another encoding (the base64
 *   of a user and a password), and one that comes in pieces, line by line, as a model says it. Read a recording before you
 *   give it away.
 *
 * @since 0.1.0
 * @stability experimental
 */
import * as Redacted from "effect/Redacted"

/** Text without its secrets. */
export type Redactor = (text: string) => string

/** What stands where a secret was. */
export const mark = "[redacted]"

/** Shorter values are not looked for: `1` is everywhere, and no secret. */
export const minimumLength = 6

/** Variables by name, as `process.env` has them. */
export type Variables = { readonly [name: string]: string | undefined }

/**
 * A redactor for whatever can be known to be a secret: the values given, those of environment variables whose names say so,
 * fields of JSON whose names say so, and what has the shape of a key.
 *
 * @example
 * ```ts
 * import * as Redactor from "@claude-duplex/protocol/Redactor"
 *
 * const redact = Redactor.make({ env: { GITHUB_TOKEN: "made-up-token" }, values: ["hunter2!"] })
 * redact(`{"text":"it is hunter2!","header":"made-up-token","password":"xyz"}`)
 * // {"text":"it is [redacted]","header":"[redacted]","password":"[redacted]"}
 * ```
 */
export const make = (known: {
  /** Secrets, by value. */
  readonly values?: Iterable<string | Redacted.Redacted<string>> | undefined
  /** An environment, in which some are secrets: see {@link secretsIn}. */
  readonly env?: Variables | undefined
} = {}): Redactor => {
  const values = valuesIn([...known.values ?? [], ...secretsIn(known.env ?? {})])
  return redactor((text) => shapesIn(fieldsIn(values(text))), { isSecret: isSecretField, values })
}

/**
 * A redactor for these values, wherever they are; those that are shorter than {@link minimumLength} are left where they are.
 *
 * @example
 * ```ts
 * import * as Redactor from "@claude-duplex/protocol/Redactor"
 *
 * Redactor.fromValues(["hunter2!"])("it is hunter2!") // "it is [redacted]"
 * ```
 */
export const fromValues = (values: Iterable<string | Redacted.Redacted<string>>): Redactor => {
  const inText = valuesIn(values)
  return redactor(inText, { values: inText })
}

/**
 * Takes out the texts in JSON whose fields say that they are secret: `apiKey`, `access_token`, `password`, `authorization`, …
 * Also in JSON that is a text in other JSON.
 *
 * @example
 * ```ts
 * import * as Redactor from "@claude-duplex/protocol/Redactor"
 *
 * Redactor.byName(`{"user":"me","password":"xyz"}`) // {"user":"me","password":"[redacted]"}
 * ```
 */
export const byName: Redactor = (text) => redactor(fieldsIn, { isSecret: isSecretField })(text)

/**
 * Takes out what has the shape of a secret: keys and tokens of well-known services, bearer tokens, JSON web tokens, private
 * keys, and the password in an address.
 *
 * @example
 * ```ts
 * import * as Redactor from "@claude-duplex/protocol/Redactor"
 *
 * Redactor.byShape("postgres://me:hunter2@db/main") // "postgres://me:[redacted]@db/main"
 * ```
 */
export const byShape: Redactor = (text) => redactor(shapesIn)(text)

/**
 * The values of variables whose names say that they are secret (`…_KEY`, `…_TOKEN`, `…_PASSWORD`, `…_HEADERS`, …), and the
 * long words in them: the token in `Bearer TOKEN` is a secret without its `Bearer`, too.
 *
 * @example
 * ```ts
 * import * as Redactor from "@claude-duplex/protocol/Redactor"
 *
 * Redactor.secretsIn({ PATH: "/usr/bin", ANTHROPIC_API_KEY: "made-up-key" }) // ["made-up-key"]
 * ```
 */
export const secretsIn = (variables: Variables): ReadonlyArray<string> =>
  Object.entries(variables).flatMap(([name, value]) =>
    value === undefined || !isSecretName(name) ? [] : withWords(value)
  )

/**
 * Whether the name of a variable or of a field says that its value is secret.
 *
 * @example
 * ```ts
 * import * as Redactor from "@claude-duplex/protocol/Redactor"
 *
 * Redactor.isSecretName("GITHUB_TOKEN") // true
 * Redactor.isSecretName("max_tokens") // false
 * ```
 */
export const isSecretName = (name: string): boolean => secretVariable.test(name)

/**
 * A value, and the words in it that are long enough to be a secret themselves.
 *
 * @example
 * ```ts
 * import * as Redactor from "@claude-duplex/protocol/Redactor"
 *
 * Redactor.withWords("Bearer made-up-token") // ["Bearer made-up-token", "made-up-token"]
 * ```
 */
export const withWords = (value: string): ReadonlyArray<string> => [
  ...new Set([value, ...value.split(/[\s,;]+/).filter((word) => word.length >= wordLength)])
]

const wordLength = 12

const secretVariable =
  /(?:key|token|secret|password|passwd|passphrase|credentials?|authorization|auth|cookie|headers)(?:[-_]?\d+)?$/i

/** Ends of names that say so in JSON too, where `key` alone is any key, and `headers` an object. */
const secretField =
  "[\\w.-]{0,64}?(?:(?:api|access|private|secret|signing|encryption)[-_]?key|token|secret|password|passwd|passphrase|" +
  "credentials?|authorization|cookie)"

const isSecretField = (name: string): boolean => wholeSecretField.test(name)

const wholeSecretField = new RegExp(`^${secretField}$`, "i")

// ---- in text ----

/** Takes values out of a text that is not JSON. */
const valuesIn = (values: Iterable<string | Redacted.Redacted<string>>): Redactor => {
  const forms = new Set(
    Array.from(values, (value) => Redacted.isRedacted(value) ? Redacted.value(value) : value)
      .filter((value) => value.length >= minimumLength && !mark.includes(value))
      .flatMap(formsOf)
  )
  // The longest first, so that none is cut short by another that is its beginning. One by one: a pattern has a limit, and a
  // value, which may be a prompt, has none.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((left, form) => left.replaceAll(form, mark), text)
}

/** A value as it may be written: as it is, in JSON, in JSON in JSON, and in a URL. */
const formsOf = (value: string): ReadonlyArray<string> => {
  const once = inQuotes(value)
  return [value, once, inQuotes(once), ...inUrl(value)]
}

const inQuotes = (value: string): string => JSON.stringify(value).slice(1, -1)

const inUrl = (value: string): ReadonlyArray<string> => {
  try {
    return [encodeURIComponent(value)]
  } catch {
    // Half a surrogate pair has no place in a URL.
    return []
  }
}

/** Takes fields out of a text that has pieces of JSON in it. */
const fieldsIn: Redactor = (text) => text.replace(field, `$1${mark}$2`).replace(escapedField, `$1${mark}$2`)

const field = new RegExp(`("${secretField}"\\s*:\\s*")[^"\\\\]*(?:\\\\.[^"\\\\]*)*(")`, "gi")

/** The same where every quote has a backslash before it, and a backslash in the value has another. */
const escapedField = new RegExp(
  `(\\\\"${secretField}\\\\"\\s*:\\s*\\\\")[^"\\\\]*(?:\\\\\\\\(?:\\\\?["\\\\]|[^"\\\\])[^"\\\\]*)*(\\\\")`,
  "gi"
)

const shapesIn: Redactor = (text) => shapes.reduce((left, shape) => left.replace(shape, `$1${mark}`), text)

/** What comes before the secret is kept, where that is not part of it. */
const shapes: ReadonlyArray<RegExp> = [
  /()\bsk-[A-Za-z0-9_-]{16,}/g,
  /()\b(?:gh[opsur]_|github_pat_|glpat-|npm_|xox[abeoprs]-)[A-Za-z0-9_-]{16,}/g,
  /()\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /()\bAIza[0-9A-Za-z_-]{35}/g,
  /()\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  // A word with a digit in it, so that prose about bearers is left alone.
  /(\bBearer\s+)(?=[A-Za-z._~+/=-]{0,512}\d)[\w.~+/=-]{12,}/gi,
  /()-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[^-]*-----END [A-Z ]{0,32}PRIVATE KEY-----/g,
  /(\b[a-z][a-z0-9+.-]{0,32}:\/\/[^\s/:@"\\]{0,256}:)[^\s/@"\\]+(?=@)/gi
]

// ---- in JSON ----

/** Redacts JSON text by text, and other text as a whole. */
const redactor = (
  inText: Redactor,
  { isSecret = () => false, values = (text) => text }: {
    readonly isSecret?: (field: string) => boolean
    readonly values?: Redactor
  } = {}
): Redactor => {
  const redact: Redactor = (text) => isJson(text) ? inJson(text) : inText(text)
  // A text in a line may look like JSON and have a value across its quotes. Nobody has to parse it, so the value goes.
  const inLine: Redactor = (text) => isJson(text) ? values(inJson(text)) : inText(text)
  const inJson: Redactor = (json) => {
    let redacted = ""
    let copied = 0
    let name: string | undefined
    for (let start = json.indexOf("\""); start !== -1; start = json.indexOf("\"", start)) {
      const end = endOfString(json, start)
      // Between two quotes of valid JSON is a string of JSON.
      const text = JSON.parse(json.slice(start, end)) as string
      const clean = name !== undefined && isSecret(name) && text !== "" ? mark : inLine(text)
      if (clean !== text) {
        redacted += json.slice(copied, start) + JSON.stringify(clean)
        copied = end
      }
      // It is the name of the next string only if nothing else is in between.
      name = /^\s*:\s*"/.test(json.slice(end, end + 64)) ? text : undefined
      start = end
    }
    return redacted + json.slice(copied)
  }
  return redact
}

/** Objects, lists and strings: a number has no secret, and most text is none of these. */
const isJson = (text: string): boolean => {
  if (!/^\s*["[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The end of the string of JSON that starts here, behind its quote. */
const endOfString = (json: string, start: number): number => {
  for (let at = json.indexOf("\"", start + 1);; at = json.indexOf("\"", at + 1)) {
    let slashes = 0
    while (json[at - 1 - slashes] === "\\") slashes++
    if (slashes % 2 === 0) return at + 1
  }
}

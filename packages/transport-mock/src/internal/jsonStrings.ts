/**
 * Replaces strings in JSON text, and touches nothing else: the order of keys, the spelling of numbers, spaces and escapes
 * stay as they were. `JSON.parse` and `JSON.stringify` would lose all of these.
 */

/**
 * Every string *value* that equals a key of the map becomes the map's value. Names of fields are left alone, and so is a
 * text that is not JSON.
 */
export const replaceStrings = (json: string, replacements: ReadonlyMap<string, string>): string => {
  const keys = Array.from(replacements.keys())
  // Most lines name no id, and may be long: a plain search is much quicker than looking at every string in them.
  if (!keys.some((key) => json.includes(JSON.stringify(key).slice(1, -1))) || !isJson(json)) return json
  let out = ""
  let copied = 0
  for (let start = json.indexOf(`"`); start !== -1;) {
    const end = endOfString(json, start)
    const replacement = replacements.get(unquote(json.slice(start, end)))
    if (replacement !== undefined && !isFieldName(json, end)) {
      out += json.slice(copied, start) + JSON.stringify(replacement)
      copied = end
    }
    start = json.indexOf(`"`, end)
  }
  return out + json.slice(copied)
}

/** Where a string ends that begins with the quote at `start`: after its closing quote. */
const endOfString = (json: string, start: number): number => {
  for (let at = json.indexOf(`"`, start + 1); at !== -1; at = json.indexOf(`"`, at + 1)) {
    let backslashes = 0
    while (json[at - 1 - backslashes] === "\\") backslashes++
    if (backslashes % 2 === 0) return at + 1
  }
  return json.length
}

/** Longer than any id: such a string is not worth its copy. */
const longestQuoted = 1024

const unquote = (quoted: string): string => {
  if (quoted.length > longestQuoted) return quoted
  // The text is JSON, so this is a string of JSON's.
  return quoted.includes("\\") ? JSON.parse(quoted) as string : quoted.slice(1, -1)
}

const isFieldName = (json: string, end: number): boolean => {
  let at = end
  while (json[at] === " " || json[at] === "\t" || json[at] === "\r") at++
  return json[at] === ":"
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    // `JSON.parse` has no other way to say so.
    return false
  }
}

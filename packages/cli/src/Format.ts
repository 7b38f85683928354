/** Numbers and texts as a person reads them. */

/**
 * A duration in milliseconds.
 */
export const millis = (value: number): string => {
  if (value < 1_000) return `${value < 10 && !Number.isInteger(value) ? value.toFixed(1) : Math.round(value)} ms`
  if (value < 60_000) return `${(value / 1_000).toFixed(value < 10_000 ? 2 : 1)} s`
  const seconds = Math.round(value / 1_000)
  return seconds < 3_600
    ? `${Math.floor(seconds / 60)} min ${seconds % 60} s`
    : `${Math.floor(seconds / 3_600)} h ${Math.floor(seconds % 3_600 / 60)} min`
}

/**
 * A number of bytes.
 */
export const bytes = (value: number): string => {
  const units = ["B", "kB", "MB", "GB", "TB"]
  let unit = 0
  let left = value
  while (left >= 1_000 && unit < units.length - 1) {
    left /= 1_000
    unit++
  }
  return `${unit === 0 ? Math.round(left) : left.toFixed(1)} ${units[unit]}`
}

/**
 * A count, with spaces between thousands.
 */
export const count = (value: number): string => String(Math.round(value)).replaceAll(/\B(?=(\d{3})+(?!\d))/g, " ")

/**
 * A number of things, with their name.
 */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

/**
 * Dollars. Turns cost fractions of a cent.
 */
export const usd = (value: number): string => `$${value.toFixed(value === 0 || Math.abs(value) >= 100 ? 2 : 4)}`

/**
 * Whatever is between words, but for one plain space, which is most of it and stays as it is. Control characters are in it:
 * a terminal would obey them.
 */
// oxlint-disable-next-line no-control-regex
const gaps = / [\s\u0000-\u001f\u007f-\u009f]+|(?:[^\S ]|[\u0000-\u001f\u007f-\u009f])[\s\u0000-\u001f\u007f-\u009f]*/g

/**
 * A text on one line, at most so long.
 */
export const oneLine = (text: string, length: number): string => {
  // A text of megabytes is not worth a walk through all of it; spaces at its beginning may cost a few characters.
  const head = text.length > length + 64 ? text.slice(0, length + 64) : text
  const flat = head.replaceAll(gaps, " ").trim()
  return flat.length > length || head !== text ? `${flat.slice(0, Math.max(0, length - 1)).trimEnd()}…` : flat
}

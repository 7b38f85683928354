/**
 * What one of Effect's formatters says of a value that does not fit. They write out the value, and one that came over the wire
 * may be nested deeper than any stack: then there are other words.
 */
export const explain = <A>(format: () => A, otherwise: A): A => {
  try {
    return format()
  } catch {
    return otherwise
  }
}

/** What is said where nothing better can be. */
export const tooDeep = "it is nested too deeply to say where"

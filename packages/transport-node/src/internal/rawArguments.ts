/**
 * What raw arguments say, as far as it can be told without knowing every flag of every CLI. A flag that is really another
 * one's value, or comes after `--`, is taken for a flag: what looks dangerous is better said once too often.
 */

/** Whether a flag is there, with a value or without. */
export const hasFlag = (args: ReadonlyArray<string>, flag: string): boolean =>
  args.some((arg) => arg === flag || arg.startsWith(`${flag}=`))

/** What a flag is given, bound or as the next argument. */
export const valuesOf = (args: ReadonlyArray<string>, flag: string): ReadonlyArray<string> =>
  args.flatMap((arg, index) =>
    arg.startsWith(`${flag}=`) ? [arg.slice(flag.length + 1)] : arg === flag ? args.slice(index + 1, index + 2) : []
  )

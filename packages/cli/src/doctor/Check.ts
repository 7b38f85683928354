/** What a check found, for a person and for a program. */

/** One thing that was looked at. */
export interface Check {
  readonly name: string
  /** `warning`: it works, and may not do what is meant. `skipped`: there was nothing to look at. */
  readonly status: "ok" | "warning" | "failed" | "skipped"
  /** What was found, in one line. */
  readonly summary: string
  /** What to do about it, or what it means: a line each. */
  readonly advice: ReadonlyArray<string>
  /** The same for programs. */
  readonly data?: { readonly [name: string]: unknown }
}

/** It is as it should be. */
export const ok = (name: string, summary: string, more: Partial<Pick<Check, "advice" | "data">> = {}): Check => ({
  name,
  status: "ok",
  summary,
  advice: [],
  ...more
})

/** It works, and may not do what is meant. */
export const warning = (
  name: string,
  summary: string,
  more: Pick<Check, "advice"> & Partial<Pick<Check, "data">>
): Check => ({
  name,
  status: "warning",
  summary,
  ...more
})

/** It does not work. */
export const failed = (
  name: string,
  summary: string,
  more: Pick<Check, "advice"> & Partial<Pick<Check, "data">>
): Check => ({
  name,
  status: "failed",
  summary,
  ...more
})

/** There was nothing to look at. */
export const skipped = (name: string, summary: string): Check => ({ name, status: "skipped", summary, advice: [] })

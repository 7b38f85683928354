/**
 * What the tool's `doctor` knows of each CLI is what was measured: made from the table of `e2e/`, which is not published.
 * When that changes, `pnpm unit -u test/support.test.ts` makes it anew.
 */
import { it } from "@effect/vitest"
import { expect } from "vitest"
import { rows } from "../e2e/src/SupportTable.js"
import { versions } from "../e2e/src/Versions.js"

it("doctor knows what was measured", async () => {
  const entries = versions.map((support) => {
    const lacks = rows.filter(([, has]) => !has(support)).map(([what]) => `\n      ${JSON.stringify(what)}`)
    return `  {\n    version: "${support.version}",\n    lacks: [${lacks.join(",")}${
      lacks.length > 0 ? "\n    " : ""
    }]\n  }`
  })
  const source = [
    "// Made from `e2e/src/Versions.ts` by `test/support.test.ts`, which compares the two. Do not edit.",
    "",
    "/** A CLI that was tried. */",
    "export interface Tried {",
    "  readonly version: string",
    "  /** What it cannot do. */",
    "  readonly lacks: ReadonlyArray<string>",
    "}",
    "",
    "/** Every CLI that was tried, the newest first. */",
    "export const tried: ReadonlyArray<Tried> = [",
    entries.join(",\n"),
    "]",
    ""
  ].join("\n")
  await expect(source).toMatchFileSnapshot("../packages/cli/src/doctor/tried.ts")
})

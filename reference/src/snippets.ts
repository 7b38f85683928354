/**
 * Code in the docs that is a file of `examples/`, or what one prints. `<!-- SOURCE -->` before a fence says which:
 *
 * | source                                | the fence holds                                                                 |
 * | ------------------------------------- | ------------------------------------------------------------------------------- |
 * | `examples/src/streaming.ts`           | the file                                                                        |
 * | `examples/src/tcpTransport.ts#end`    | the part between `// #region end` and `// #endregion`                           |
 * | `output of streaming`                 | what that example prints                                                        |
 *
 * This owns what belongs into a fence. `pnpm docs:snippets` writes it there, and `test/snippets.test.ts` looks that it is.
 */
import { readFileSync } from "node:fs"

/** A fence with the comment before it. */
const marked = /^(<!-- (.*?) -->\n+```\w*\n)([^]*?)^```$/gm

/** The part of a file that a source names, without the indentation that is common to it. */
export const partOf = (root: URL, source: string): string => {
  const [file = "", region] = source.split("#")
  const text = readFileSync(new URL(file, root), "utf8")
  if (region === undefined) return text.replaceAll(/^ *\/\/ #(region|endregion).*\n/gm, "")
  const found = new RegExp(`^( *)// #region ${region}\\n([^]*?)^ *// #endregion`, "m").exec(text)
  if (found === null) throw new Error(`${file} has no region ${region}`)
  const [, indent = "", code = ""] = found
  return code.replaceAll(new RegExp(`^${indent}`, "gm"), "")
}

/** The name of the example whose output a source names. */
export const outputOf = (source: string): string | undefined => /^output of (\w+)$/.exec(source)?.[1]

/** A page with its fences filled. Frames of recordings are the writer's to choose, and are left alone. */
export const fill = (page: string, root: URL, run: (example: string) => string): string =>
  page.replaceAll(marked, (all, head: string, source: string) => {
    const example = outputOf(source)
    if (example !== undefined) return `${head}${run(example)}\`\`\``
    return source.startsWith("examples/") ? `${head}${partOf(root, source)}\`\`\`` : all
  })

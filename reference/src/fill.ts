/** `pnpm docs:snippets`: writes examples and their output into the pages that show them. */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { fill } from "./snippets.js"

const root = new URL("../../", import.meta.url)

const run = (example: string) =>
  execFileSync(process.execPath, [fileURLToPath(new URL(`examples/dist/${example}.js`, root))], { encoding: "utf8" })

const pages = readdirSync(new URL("docs/", root), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md") && !file.startsWith("api/"))
  .map((file) => `docs/${file}`)

for (const path of ["README.md", ...pages]) {
  const page = new URL(path, root)
  const before = readFileSync(page, "utf8")
  const after = fill(before, root, run)
  if (after === before) continue
  writeFileSync(page, after)
  console.log(path)
}

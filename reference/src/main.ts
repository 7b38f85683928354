/** `pnpm docs:api`: writes the pages of `docs/api/`. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { folder, pages } from "./pages.js"

const root = new URL("../../", import.meta.url)
const made = pages(root)

// What has no module any more has no page either.
rmSync(new URL(folder, root), { recursive: true, force: true })
for (const [path, text] of made) {
  const file = new URL(`${folder}${path}`, root)
  mkdirSync(new URL(".", file), { recursive: true })
  writeFileSync(file, text)
}
console.log(`${made.size} pages in ${folder}`)

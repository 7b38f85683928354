// Writes the `exports` of every package from its sources: each public module by name, without patterns, so that what can be
// imported is visible and reviewed. A module is public unless it is in `internal/` or `bin/`. Run it after adding, renaming or
// removing a module: `pnpm exports`. With `--check` it writes nothing and fails if a list is not up to date.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { argv } from "node:process"
import { fileURLToPath, pathToFileURL } from "node:url"

/** Packages that export only an executable. */
const programs = new Set(["cli"])

/** Folders of sources that are not public. */
const isPrivate = (path) => /(^|\/)(internal|bin)\//.test(path)

/** The public modules of a package, as paths below `src` without extension. */
export const publicModules = (root, name) =>
  programs.has(name)
    ? []
    : readdirSync(new URL(`packages/${name}/src/`, root), { recursive: true, encoding: "utf8" })
      .map((file) => file.replaceAll("\\", "/"))
      .filter((file) => file.endsWith(".ts") && !isPrivate(file))
      .map((file) => file.slice(0, -3))
      .sort()

/** The text of a `package.json` with the `exports` that it should have. */
export const withExports = (text, modules) => {
  const manifest = JSON.parse(text)
  const entries = [
    `"./package.json": "./package.json"`,
    ...(modules.length === 0 ? [] : [`"./internal/*": null`]),
    ...modules.map((module) => `"./${module}": { "types": "./dist/${module}.d.ts", "default": "./dist/${module}.js" }`)
  ]
  const placeholder = "written below"
  return `${
    JSON.stringify({ ...manifest, exports: placeholder }, undefined, 2)
      .replace(`"exports": "${placeholder}"`, () => `"exports": {\n    ${entries.join(",\n    ")}\n  }`)
  }\n`
}

/** The `package.json` files whose `exports` are not up to date, each with the text that it should have. */
export const outdated = (root) =>
  readdirSync(new URL("packages/", root)).flatMap((name) => {
    const file = new URL(`packages/${name}/package.json`, root)
    if (!existsSync(file)) return []
    const text = readFileSync(file, "utf8")
    const wanted = withExports(text, publicModules(root, name))
    // Compared as data: the formatter may break lines in another way.
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(JSON.parse(wanted)) ? [] : [{ file, name, wanted }]
  })

if (argv[1] !== undefined && existsSync(argv[1]) && import.meta.url === pathToFileURL(argv[1]).href) {
  const found = outdated(new URL("..", import.meta.url))
  for (const { file, name, wanted } of found) {
    if (argv.includes("--check")) {
      console.error(`packages/${name}/package.json: exports are not up to date: pnpm exports`)
    } else {
      writeFileSync(file, wanted)
      console.log(fileURLToPath(file))
    }
  }
  if (argv.includes("--check") && found.length > 0) process.exitCode = 1
}

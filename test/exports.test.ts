/** What each package exports: a reviewed list of modules, each with its own name and a stated stability. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { read } from "../reference/src/declarations.js"
import { outdated, publicModules } from "../scripts/exports.mjs"
import { packages } from "./support/packages.js"

const root = new URL("..", import.meta.url)

const modules = packages.flatMap((name) => publicModules(root, name).map((module) => ({ name, module })))

describe("exports", () => {
  it("are the public modules, one by one (if not: pnpm exports)", () => {
    assert.deepStrictEqual(outdated(root).map(({ name }) => name), [])
  })

  it("have names that are unique across all packages", () => {
    const owners = new Map<string, Array<string>>()
    for (const { module, name } of modules) {
      const base = module.slice(module.lastIndexOf("/") + 1)
      owners.set(base, [...owners.get(base) ?? [], `${name}/${module}`])
    }
    assert.deepStrictEqual([...owners.values()].filter((paths) => paths.length > 1), [])
  })

  it("state since when they exist and how stable they are", () => {
    const untagged = modules.filter(({ module, name }) => {
      const { since, stability } = read(readFileSync(new URL(`packages/${name}/src/${module}.ts`, root), "utf8"))
      return !/^\d+\.\d+\.\d+$/.test(since) || (stability !== "stable" && stability !== "experimental")
    })
    assert.deepStrictEqual(untagged, [])
  })
})

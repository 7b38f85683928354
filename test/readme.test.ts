/** The README shows the files in `examples/`, and they run. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = new URL("..", import.meta.url)
const readme = readFileSync(new URL("README.md", root), "utf8")
/** Programs; one that exports something is a module, and has a test of its own. */
const examples = readdirSync(new URL("examples/src/", root))
  .filter((file) => !/^export /m.test(readFileSync(new URL(`examples/src/${file}`, root), "utf8")))
  .map((file) => file.replace(/\.ts$/, ""))

const run = (example: string) =>
  execFileSync(process.execPath, [fileURLToPath(new URL(`examples/dist/${example}.js`, root))], { encoding: "utf8" })

describe("README", () => {
  const shown = Array.from(readme.matchAll(/<!-- (examples\/src\/\w+\.ts) -->\n+```ts\n([^]*?)```/g))

  it("shows examples", () => assert.isAbove(shown.length, 0))

  for (const [, file = "", code] of shown) {
    it(`shows ${file} as it is`, () => assert.strictEqual(code, readFileSync(new URL(file, root), "utf8")))
  }

  it("links to files that exist", () => {
    for (const [, target = ""] of readme.matchAll(/\]\(((?!https?:)[^)#]+)\)/g)) {
      assert.doesNotThrow(() => readFileSync(new URL(target, root)), target)
    }
  })
})

describe("examples", () => {
  for (const example of examples) it(`${example} runs`, () => assert.isAbove(run(example).length, 0))

  it("readFrames prints what the README says", () => {
    assert.strictEqual(run("readFrames"), "keep_alive\nDecodeError InvalidJson\nUnknown UnknownType\n")
  })
})

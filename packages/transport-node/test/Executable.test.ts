import * as Executable from "@claude-duplex/transport-node/Executable"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

const directory = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "claude-duplex-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true, force: true }))
)

const file = (path: string, mode = 0o755) => {
  Fs.mkdirSync(Path.dirname(path), { recursive: true })
  Fs.writeFileSync(path, "", { mode })
  return path
}

/** Nothing of the machine's own: an empty home, an empty `PATH`, and a place without `node_modules`. */
const nowhere = (root: string) => ({ home: Path.join(root, "home"), searchPath: "", cwd: Path.join(root, "work") })

describe("find, given a path", () => {
  it.scoped("takes it, made absolute", () =>
    Effect.gen(function*() {
      const root = yield* directory
      const path = file(Path.join(root, "bin", "claude"))
      assert.deepStrictEqual(yield* Executable.find({ path }), { command: path, args: [] })
      assert.deepStrictEqual(yield* Executable.find({ path: "./bin/claude", cwd: root }), { command: path, args: [] })
    }))

  it.scoped("runs a script under node, executable or not", () =>
    Effect.gen(function*() {
      const root = yield* directory
      for (const name of ["cli.js", "cli.mjs", "cli.cjs"]) {
        const path = file(Path.join(root, name), 0o644)
        assert.deepStrictEqual(yield* Executable.find({ path: name, cwd: root }), {
          command: process.execPath,
          args: [path]
        })
      }
    }))

  it.scoped("looks for a name in PATH, and nowhere else", () =>
    Effect.gen(function*() {
      const root = yield* directory
      const path = file(Path.join(root, "bin", "claude-next"))
      const where = { ...nowhere(root), path: "claude-next", searchPath: Path.dirname(path) }
      assert.deepStrictEqual(yield* Executable.find(where), { command: path, args: [] })
      file(Path.join(root, "home", ".local", "bin", "claude-next"))
      const error = yield* Effect.flip(Executable.find({ ...where, searchPath: "" }))
      assert.strictEqual(error.reason, "NotFound")
      assert.include(error.detail, "claude-next")
    }))

  it.scoped("says that it is not there", () =>
    Effect.gen(function*() {
      const root = yield* directory
      file(Path.join(root, "file"))
      for (const name of ["none", "file/none"]) {
        const error = yield* Effect.flip(Executable.find({ path: Path.join(root, name) }))
        assert.strictEqual(error.reason, "NotFound")
        assert.include(error.detail, Path.join(root, name))
        assert.include(error.detail, "npm install -g @anthropic-ai/claude-code")
      }
    }))

  it.scoped("says that it cannot be run, and what to do", () =>
    Effect.gen(function*() {
      const root = yield* directory
      const cases = { [root]: "not a file", [file(Path.join(root, "claude"), 0o644)]: "chmod +x" }
      cases[file(Path.join(root, "claude.cmd"))] = "cli.js"
      for (const [path, says] of Object.entries(cases)) {
        const error = yield* Effect.flip(Executable.find({ path }))
        assert.strictEqual(error.reason, "Spawn")
        assert.include(error.detail, says)
      }
    }))
})

describe("find, without a path", () => {
  it.scoped("prefers PATH, in its order, and passes over what cannot be run", () =>
    Effect.gen(function*() {
      const root = yield* directory
      const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => Path.join(root, name, "claude")) as [
        string,
        string,
        string,
        string
      ]
      file(a, 0o644)
      Fs.mkdirSync(b, { recursive: true })
      file(c)
      file(d)
      file(Path.join(root, "home", ".local", "bin", "claude"))
      const searchPath = [a, b, c, d].map((path) => Path.dirname(path)).join(Path.delimiter)
      const found = yield* Executable.find({ ...nowhere(root), searchPath })
      assert.deepStrictEqual(found, { command: c, args: [] })
    }))

  it.scoped("knows the usual places", () =>
    Effect.gen(function*() {
      for (
        const place of [
          "home/.claude/local",
          "home/.local/bin",
          "home/.npm-global/bin",
          "home/.bun/bin",
          "work/node_modules/.bin",
          "node_modules/.bin"
        ]
      ) {
        const root = yield* directory
        const path = file(Path.join(root, place, "claude"))
        // The machine's own /usr/local/bin may have one, so this looks at what is tried.
        assert.include(Executable.candidates(nowhere(root)), path)
      }
      assert.include(Executable.candidates({}), "/usr/local/bin/claude")
    }))

  it("tries each place once, and never the working directory itself", () => {
    const tried = Executable.candidates({ home: "/h", cwd: "/w", searchPath: ":/usr/local/bin::/h/.local/bin:" })
    assert.strictEqual(new Set(tried).size, tried.length)
    assert.deepStrictEqual(tried.slice(0, 2), ["/usr/local/bin/claude", "/h/.local/bin/claude"])
    assert.notInclude(tried, "/w/claude")
  })

  it.scoped("lists all that was tried, and why it would not do", () =>
    Effect.gen(function*() {
      const root = yield* directory
      const path = file(Path.join(root, "bin", "no-such-claude"), 0o644)
      const other = Path.join(root, "other")
      const searchPath = [Path.dirname(path), other].join(Path.delimiter)
      const error = yield* Effect.flip(Executable.find({ ...nowhere(root), path: "no-such-claude", searchPath }))
      assert.strictEqual(error.reason, "NotFound")
      assert.include(error.detail, `${path} (which is not executable`)
      assert.include(error.detail, Path.join(other, "no-such-claude"))
      assert.include(error.detail, "npm install -g @anthropic-ai/claude-code")
    }))
})

import * as Output from "@claude-duplex/cli/Output"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"

/** A stream that keeps what is written to it, or fails. */
const target = (isTTY: boolean, error?: Error & { code?: string }) => {
  const texts: Array<string> = []
  return {
    texts,
    isTTY,
    columns: 12,
    write: (text: string | Uint8Array, done: (error?: Error | null) => void) => {
      texts.push(typeof text === "string" ? text : new TextDecoder().decode(text))
      done(error)
    }
  }
}

it.effect("a reader that went away ends a command without an error", () =>
  Effect.gen(function*() {
    const gone = target(false, Object.assign(new Error("write EPIPE"), { code: "EPIPE" }))
    const full = target(false, Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" }))
    const stderr = target(false)
    const errors = yield* Effect.forEach([gone, full], (stdout) =>
      Effect.flip(Output.make({ stdout, stderr, env: {} }).write("x")))
    assert.deepStrictEqual(errors.map(({ exitCode, reason }) => [reason, exitCode]), [["Closed", 0], ["Output", 2]])
  }))

it.effect("progress is for terminals, takes one line, and is gone before anything else is said", () =>
  Effect.gen(function*() {
    const stderr = target(true)
    const output = Output.make({ stdout: target(false), stderr, env: {} })
    yield* output.status("half of a long file")
    yield* output.status("half of a long file")
    yield* output.note("done")
    assert.deepStrictEqual(stderr.texts, ["\r\u001b[2Khalf of a l", "\r\u001b[2K", "done\n"])

    const piped = target(false)
    yield* Output.make({ stdout: target(true), stderr: piped, env: {} }).status("half")
    assert.deepStrictEqual(piped.texts, [])
  }))

it("colours are decided for each stream", () => {
  const output = Output.make({ stdout: target(false), stderr: target(true), env: {} })
  assert.deepStrictEqual(
    [output.isColoured, output.palette.red("x"), output.notePalette.red("x")],
    [false, "x", "\u001b[31mx\u001b[39m"]
  )
})

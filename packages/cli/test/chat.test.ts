/** The parts of `chat` that need no terminal: what keys do to a line, and what is written to draw a screen. */
import * as Codec from "@claude-duplex/protocol/Codec"
import type { Key } from "@effect/platform/Terminal"
import { assert, describe, it } from "@effect/vitest"
import xterm from "@xterm/headless"
import { Effect } from "effect"
import * as fc from "effect/FastCheck"
import * as LineEditor from "../src/chat/LineEditor.js"
import * as RecordedCli from "../src/chat/RecordedCli.js"
import * as Screen from "../src/chat/Screen.js"
import * as Transcript from "../src/chat/Transcript.js"
import { width } from "../src/chat/width.js"
import * as Palette from "../src/Palette.js"

const key = (name: string, modifiers: Partial<Key> = {}): Key => ({
  name,
  ctrl: false,
  meta: false,
  shift: false,
  ...modifiers
})

/** What is left of a line after these keys. */
const typed = (...presses: ReadonlyArray<string | Key>): string => {
  let line = LineEditor.empty
  for (const press of presses) {
    line = (typeof press === "string" ? LineEditor.insert(line, press) : LineEditor.press(line, press, "")) ?? line
  }
  const { characters, cursor } = line
  return [...characters.slice(0, cursor), "|", ...characters.slice(cursor)].join("")
}

describe("a line", () => {
  it("is edited as in a shell", () => {
    assert.strictEqual(typed("abc", key("left"), key("backspace"), "X"), "aX|c")
    assert.strictEqual(typed("a 🎉", key("backspace")), "a |")
    assert.strictEqual(typed("one two ", key("w", { ctrl: true })), "one |")
    assert.strictEqual(typed("one two", key("a", { ctrl: true }), key("delete"), key("right")), "n|e two")
    assert.strictEqual(typed("one two", key("left"), key("k", { ctrl: true }), key("u", { ctrl: true })), "|")
    assert.strictEqual(typed("ab", key("home"), key("left"), key("end"), key("right"), key("delete")), "ab|")
  })

  it("does not take keys that mean something else", () => {
    for (const [name, input] of [["escape", "\u001b"], ["f1", "\u001bOP"], ["tab", "\t"], ["undefined", ""]] as const) {
      assert.isUndefined(LineEditor.press(LineEditor.empty, key(name), input), name)
    }
    assert.isUndefined(LineEditor.press(LineEditor.empty, key("c", { ctrl: true }), "\u0003"))
  })

  it("shows the part around its cursor, whatever is in it, and never more than fits", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(), fc.integer({ min: 2, max: 30 }), (text, at, columns) => {
        const all = LineEditor.of(text)
        const line = { ...all, cursor: at % (all.characters.length + 1) }
        const { column, text: shown } = LineEditor.visible(line, columns)
        assert.isBelow(width(shown), columns)
        assert.isAtMost(column, width(shown))
      })
    )
  })
})

/** What is seen after these steps, in a terminal of 20 columns. */
const seen = async (steps: (screen: Screen.Screen) => ReadonlyArray<Effect.Effect<void>>): Promise<string> => {
  const view = new xterm.Terminal({ cols: 20, rows: 12, allowProposedApi: true, convertEol: true })
  let written = ""
  const target = { isTTY: true, columns: 20, write: (text: string) => written += text }
  Effect.runSync(Effect.all(steps(Screen.make(target, Palette.make(true))), { discard: true }))
  await new Promise<void>((resolve) => view.write(written, resolve))
  const { buffer: { active } } = view
  return Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? "")
    .join("\n").trimEnd()
}

describe("a screen", () => {
  it("text goes on above what is drawn below it", async () => {
    assert.strictEqual(
      await seen(({ below, line, prose }) => [
        below({ lines: ["status", "› typed"], cursor: 4 }),
        prose("Once upon a time"),
        below({ lines: ["other", "› typed more"], cursor: 0 }),
        prose(" there was a pipe."),
        line("● Bash ls"),
        below({ lines: ["› "], cursor: 2 })
      ]),
      "Once upon a time\nthere was a pipe.\n● Bash ls\n›"
    )
  })

  it("what is below is cut where the terminal ends, and can be taken away", async () => {
    const long = `${Palette.make(true).bold("a long line")} that does not fit`
    assert.strictEqual(await seen(({ below }) => [below({ lines: [long, "x"] })]), "a long line that d…\nx")
    assert.strictEqual(
      await seen(({ below, prose }) => [prose("a"), below({ lines: [long] }), below({ lines: [] })]),
      "a"
    )
  })

  it("words are not cut, unless they are longer than a line", async () => {
    assert.strictEqual(await seen(({ prose }) => [prose("aaaa bbbb cccc dddd eeee")]), "aaaa bbbb cccc dddd\neeee")
    assert.strictEqual(
      await seen(({ below, prose }) => [prose("x".repeat(45)), below({ lines: ["›"] }), prose("!")]),
      `${"x".repeat(20)}\n${"x".repeat(20)}\nxxxxx!\n›`
    )
  })
})

describe("a recorded CLI", () => {
  it("what was said before an answer came belongs to what was said first", () => {
    const user = (content: unknown) => ({
      t: 0,
      dir: "host" as const,
      line: JSON.stringify({ type: "user", message: { role: "user", content }, parent_tool_use_id: null })
    })
    const result = { t: 0, dir: "cli" as const, line: `{"type":"result"}` }
    const entries = [user("a"), user([{ type: "text", text: "b" }]), result, user("c"), result]
    assert.deepStrictEqual(RecordedCli.said({ entries }), [["a", "b"], ["c"]])
  })
})

describe("a transcript", () => {
  it.effect("shows what models and tools say, and lets a terminal obey none of it", () =>
    Effect.gen(function*() {
      const hostile = "\u001b]0;owned\u0007\u001b[2J\u009b31mred\r\b\tone\ntwo"
      let written = ""
      const screen = Screen.make({ write: (text) => written += text }, Palette.make(false))
      const { frame } = Transcript.make(screen)
      const of = { parent_tool_use_id: null, session_id: "s", uuid: "u" }
      const message = (...content: ReadonlyArray<object>) => ({
        ...of,
        type: "assistant",
        message: {
          id: "m",
          type: "message",
          role: "assistant",
          model: "m",
          content,
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 1, output_tokens: 1 }
        }
      })
      const delta = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: hostile } }
      const frames = [
        message({ type: "text", text: hostile }),
        { ...of, type: "stream_event", event: delta },
        message({ type: "tool_use", id: "t", name: "Bash", input: { command: hostile } }),
        {
          ...of,
          type: "user",
          message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: hostile }] }
        }
      ]
      yield* Effect.forEach(frames, (value) => frame(Codec.cli.fromJson(value)))
      assert.strictEqual(written.match(/red/g)?.length, frames.length)
      // oxlint-disable-next-line no-control-regex
      assert.deepStrictEqual(written.match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g), null)
    }))
})

import * as Arguments from "@claude-duplex/cli/Arguments"
import { assert, it } from "@effect/vitest"

it("--verbose may be anywhere, but for what comes after --", () => {
  assert.deepStrictEqual(
    [
      Arguments.normalize(["check", "a", "--verbose"]),
      Arguments.normalize(["record", "--", "claude", "--verbose"]),
      Arguments.normalize(["record", "--verbose", "--", "claude", "--verbose"])
    ],
    [
      ["--verbose", "check", "a"],
      ["record", "--", "claude", "--verbose"],
      ["--verbose", "record", "--", "claude", "--verbose"]
    ]
  )
})

it("the command is the first word that is no option, nor the value of one", () => {
  assert.deepStrictEqual(
    [["--verbose", "check"], ["--log-level", "debug", "diff"], ["--completions", "zsh"], []].map(Arguments.commandOf),
    ["check", "diff", undefined, undefined]
  )
})

it("a guess is near, or there is none", () => {
  const names = ["inspect", "check", "diff", "stats"]
  assert.deepStrictEqual(
    ["chek", "insp", "stat", "dfif", "zzz", "hologram"].map((word) => Arguments.nearest(word, names)),
    ["check", "inspect", "stats", "diff", undefined, undefined]
  )
})

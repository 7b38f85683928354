import * as Palette from "@claude-duplex/cli/Palette"
import { assert, it } from "@effect/vitest"

it("colours are for terminals, and for those who want them", () => {
  const coloured = (isTerminal: boolean, env: Palette.Target["env"]) => Palette.isColoured({ isTerminal, env })
  assert.deepStrictEqual(
    [
      coloured(true, {}),
      coloured(false, {}),
      coloured(true, { NO_COLOR: "1" }),
      coloured(true, { NO_COLOR: "" }),
      coloured(true, { TERM: "dumb" }),
      coloured(false, { FORCE_COLOR: "1" }),
      coloured(false, { FORCE_COLOR: "1", NO_COLOR: "1" }),
      coloured(true, { FORCE_COLOR: "0" })
    ],
    [true, false, false, true, false, true, true, false]
  )
})

it("what was painted is stripped again", () => {
  const painted = Palette.make(true).bold(Palette.make(true).red("no"))
  assert.deepStrictEqual([painted.length > 2, Palette.strip(painted), Palette.make(true).red("")], [true, "no", ""])
})

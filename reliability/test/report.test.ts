import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as Options from "../src/options.js"
import * as Report from "../src/report.js"

const found = [{
  command: "faults",
  outcome: { rows: [{ promise: "It settles", figure: "7 runs" }], measured: {}, violations: [] }
}]

describe("the page", () => {
  it("has a row for every promise, with its figure and its command", () => {
    const machine = {
      cpu: "c",
      cores: 2,
      platform: "p",
      node: "n",
      effect: "e",
      protocol: "0",
      recordings: "2.1.326"
    }
    const page = Report.page({ date: "2026-01-01", load: 1, machine, found })
    assert.match(page, /\| It settles +\| 7 runs +\| `pnpm faults` +\|/)
    assert.match(page, /\| `duplicate` +\| it comes twice/)
  })

  it("in the repository has what every command measures", () => {
    const page = readFileSync(new URL("../../docs/reliability.md", import.meta.url), "utf8")
    for (const command of Options.commands) assert.include(page, `\`pnpm ${command}\``)
    assert.notInclude(page, "undefined")
  })
})

describe("the command line", () => {
  it("is a command and its options", () => {
    assert.deepInclude(Options.parse(["fuzz"]), { command: "fuzz", seconds: 60, seed: 1 })
    assert.deepInclude(Options.parse(["faults", "--only", "2.1.326/plain", "--json"]), {
      only: ["2.1.326/plain"],
      json: true
    })
    assert.throws(() => Options.parse([]), "The command is one of fuzz, faults, soak, load and all")
    assert.throws(() => Options.parse(["fuzz", "--seconds", "x"]), "--seconds takes a whole number")
    assert.throws(() => Options.parse(["fuzz", "--write"]), "--write")
  })
})

import { CliError } from "@claude-duplex/cli/CliError"
import { assert, it } from "@effect/vitest"

it("an error of a command is a line and an exit code", () => {
  const error = new CliError({ reason: "Input", summary: "plain.jsonl: there is no such file." })
  assert.deepStrictEqual([error.message, error.exitCode], ["plain.jsonl: there is no such file.", 2])
})

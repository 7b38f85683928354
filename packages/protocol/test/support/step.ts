/** A step of the machine, for every test that drives one. */
import type { SessionInput } from "@claude-duplex/protocol/SessionInput"
import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
import { assert } from "@effect/vitest"

/** The same as the machine's; and what it says of frames that change nothing must be what the step does. */
export const step = (state: SessionMachine.State, input: SessionInput): ReturnType<typeof SessionMachine.step> => {
  const stepped = SessionMachine.step(state, input)
  const passing = input._tag === "Receive" ? SessionMachine.passing(state, input.item) : undefined
  if (passing !== undefined) {
    assert.strictEqual(stepped[0], state)
    assert.deepStrictEqual(stepped[1], [passing])
  }
  return stepped
}

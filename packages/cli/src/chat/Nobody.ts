/** Nobody at a terminal: prompts are the lines of a pipe, output is plain, and no tool may run that has to ask. */
import * as Permission from "@claude-duplex/session/Permission"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { stdin } from "node:process"
import { createInterface } from "node:readline"
import type { Person } from "./Person.js"
import type { Screen } from "./Screen.js"

/** Reads prompts from this process's stdin, one a line. */
export const make = (screen: Screen): Effect.Effect<Person> =>
  Effect.sync(() => {
    const lines = createInterface({ input: stdin })[Symbol.asyncIterator]()
    return {
      screen,
      prompt: Effect.map(
        Effect.promise(() => lines.next()),
        ({ done, value }) => done === true ? Option.none() : Option.some(value)
      ),
      speaksWhenBusy: false,
      decide: ({ toolName }) =>
        Effect.as(
          screen.line(`? ${toolName} was denied: nobody is here to be asked (--allow ${toolName} lets it run)`),
          Permission.deny(`Nobody is there to be asked whether ${toolName} may run.`)
        ),
      // A signal ends the program, and with it the session.
      interrupt: Effect.never,
      tell: () => Effect.void
    }
  })

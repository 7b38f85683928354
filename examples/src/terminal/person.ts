/**
 * Who sits at the other end of the session: somebody at a terminal, or nobody (a pipe, CI). Owns the keyboard.
 *
 * The terminal is in raw mode all the time, so that Ctrl-C is a key and not the end of the program. `@effect/platform`'s
 * `Terminal` (0.97) does not do for this: its `readLine` neither shows what is typed nor returns on Ctrl-C.
 */
import * as Permission from "@claude-duplex/session/Permission"
import type { Turn } from "@claude-duplex/session/Turn"
import { Effect, Option, PubSub, type Scope, Stream } from "effect"
import { stdin, stdout } from "node:process"
import { createInterface, emitKeypressEvents, type Key } from "node:readline"
import * as Screen from "./screen.js"

/** Somebody, or nobody. */
export interface Person {
  /** What they say next; none: that was all. */
  readonly prompt: Effect.Effect<Option.Option<string>>
  /** Whether a tool may run. */
  readonly decide: (request: Permission.Request) => Effect.Effect<Permission.Decision>
  /** Returns when they have heard enough of a turn. */
  readonly hasEnough: (turn: Turn) => Effect.Effect<void>
}

/** Whether there is a terminal on both sides. */
export const isThere = stdin.isTTY === true && stdout.isTTY === true

/**
 * Somebody at the terminal, which is as it was before when the scope closes. They type their prompts, or send those that
 * are given.
 */
export const atTerminal = (given?: ReadonlyArray<string>): Effect.Effect<Person, never, Scope.Scope> =>
  Effect.gen(function*() {
    const presses = yield* keyboard
    /** Asks, and takes the first key that means something; what was pressed before was not meant for this. */
    const ask = <A>(question: Effect.Effect<void>, meaning: (key: Key) => A | undefined): Effect.Effect<A> =>
      Effect.scoped(Effect.gen(function*() {
        const pressed = yield* PubSub.subscribe(presses)
        yield* question
        for (;;) {
          const answer = meaning(yield* pressed.take)
          if (answer !== undefined) return answer
        }
      }))
    const next = given === undefined ? undefined : inTurn(given)
    // Tools may ask at the same time, and a key must not answer a question that was not shown when it was pressed.
    const one = yield* Effect.makeSemaphore(1)

    return {
      prompt: next === undefined ? readLine([]) : Effect.flatMap(
        next,
        Option.match({
          onNone: () => Effect.succeedNone,
          onSome: (prompt) =>
            ask(
              Screen.write(`${Screen.bold(`› ${prompt}`)} ${Screen.dim("⏎")} `),
              (key) => key.name === "return" || key.name === "enter" || (isGoodbye(key) ? false : undefined)
            ).pipe(
              Effect.tap(Screen.line("")),
              Effect.map((isSent) => isSent ? Option.some(prompt) : Option.none())
            )
        })
      ),
      decide: ({ suggestions, toolName }) => {
        const keys = `y once, ${suggestions.length > 0 ? "a always, " : ""}n no`
        const question = ask(
          Screen.write(`${Screen.yellow("?")} May ${toolName} run? ${Screen.dim(`(${keys})`)} `),
          ({ name }): readonly [string, Permission.Decision] | undefined => {
            if (name === "y") return ["yes", Permission.allow()]
            if (name === "n") return ["no", Permission.deny("The user said no.")]
            return name === "a" && suggestions.length > 0
              ? ["always", Permission.allow({ updatedPermissions: suggestions })]
              : undefined
          }
        )
        return one.withPermits(1)(Effect.tap(question, ([answer]) => Screen.write(`${answer}\n`))).pipe(
          Effect.map(([, decision]) => decision)
        )
      },
      hasEnough: () => Effect.asVoid(ask(Effect.void, (key) => isCtrl(key, "c") || undefined))
    }
  })

/** Nobody, for a recording: prompts go out, the tool may run, and an answer that is too long is stopped. */
export const nobody = (given: ReadonlyArray<string>): Person => ({
  prompt: Effect.tap(
    inTurn(given),
    Option.match({ onNone: () => Effect.void, onSome: (text) => Screen.line(`› ${text}\n`) })
  ),
  decide: ({ toolName }) => Effect.as(Screen.line(`? May ${toolName} run? yes`), Permission.allow()),
  hasEnough: (turn) =>
    Stream.runCount(Stream.take(turn.text, patience)).pipe(
      Effect.flatMap((heard) => heard < patience ? Effect.never : Effect.void),
      // It was another turn's text.
      Effect.catchTag("TurnReset", () => Effect.never)
    )
})

/** Nobody, for a real `claude`: prompts are the lines of a pipe, and no tool may run that has to ask. */
export const piped: Effect.Effect<Person> = Effect.sync(() => {
  const lines = createInterface({ input: stdin })[Symbol.asyncIterator]()
  return {
    prompt: Effect.map(
      Effect.promise(() => lines.next()),
      ({ done, value }) => done === true ? Option.none() : Option.some(value)
    ),
    decide: () => Effect.succeed(Permission.deny("Nobody is there to be asked.")),
    hasEnough: () => Effect.never
  }
})

/** After how many pieces of text nobody has heard enough: more than in an answer that is to end by itself. */
const patience = 60

const isCtrl = (key: Key, letter: string) => key.ctrl === true && key.name === letter

const isGoodbye = (key: Key) => isCtrl(key, "c") || isCtrl(key, "d")

/** One after the other, each time it is run. */
const inTurn = (given: ReadonlyArray<string>): Effect.Effect<Option.Option<string>> => {
  const left = [...given]
  return Effect.sync(() => Option.fromNullable(left.shift()))
}

/** Keys, as they are pressed. */
const keyboard: Effect.Effect<PubSub.PubSub<Key>, never, Scope.Scope> = Effect.gen(function*() {
  const presses = yield* PubSub.sliding<Key>(16)
  const listener = (_: string | undefined, key: Key) => presses.unsafeOffer(key)
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      emitKeypressEvents(stdin)
      stdin.setRawMode(true)
      stdin.on("keypress", listener)
      stdin.resume()
    }),
    () =>
      Effect.sync(() => {
        stdin.off("keypress", listener)
        stdin.setRawMode(false)
        stdin.pause()
      })
  )
  return presses
})

/** A line, with what readline has to edit one; none for Ctrl-C and Ctrl-D. */
const readLine = (history: Array<string>): Effect.Effect<Option.Option<string>> =>
  Effect.async((resume) => {
    const readline = createInterface({ input: stdin, output: stdout, history: [...history] })
    let line = Option.none<string>()
    readline.question(Screen.bold("› "), (answer) => {
      line = Option.some(answer)
      history.unshift(answer)
      readline.close()
    })
    readline.on("SIGINT", () => readline.close())
    readline.on("close", () => {
      if (Option.isNone(line)) stdout.write("\n")
      // It leaves the terminal as a shell would have it.
      stdin.setRawMode(true)
      stdin.resume()
      resume(Effect.succeed(line))
    })
    return Effect.sync(() => readline.close())
  })

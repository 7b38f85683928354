/**
 * Somebody at a terminal. Owns the keyboard, and the lines below the text: what is typed, or the question that is open.
 *
 * Keys come one at a time and mean something else in each situation:
 *
 * | situation            | keys                                                                            |
 * | -------------------- | ------------------------------------------------------------------------------- |
 * | nothing is asked     | those of a line; Enter says it, up and down bring back what was said            |
 * | a tool wants to run  | `y` once, `a` always, `n` no, `e` edit the input                                |
 * | its input is edited  | those of a line; Enter takes it, Escape goes back to the question               |
 * | always               | Ctrl-C stops what is going on; a second one, or Ctrl-D, ends the session        |
 */
import type { JsonObject } from "@claude-duplex/protocol/schema/Json"
import * as Permission from "@claude-duplex/session/Permission"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import type { UserInput } from "@effect/platform/Terminal"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { stdin, stdout } from "node:process"
import * as Format from "../Format.js"
import * as LineEditor from "./LineEditor.js"
import type { Person, Situation } from "./Person.js"
import type { Below, Screen } from "./Screen.js"
import { describeUpdate, inputOf, wholeInputOf } from "./Transcript.js"

/** A question that is shown. */
interface Question {
  readonly request: Permission.Request
  readonly answer: Deferred.Deferred<Permission.Decision>
  /** Its input, while that is edited. */
  readonly edited?: LineEditor.Line | undefined
  /** What is wrong with what was edited. */
  readonly problem?: string | undefined
}

const pasteMode = { on: "\u001b[?2004h", off: "\u001b[?2004l" }

/**
 * Somebody at this process's terminal, which is as it was before when the scope closes. `suggested` is what an empty Enter
 * says: it is shown, and typed over.
 */
export const make = (
  screen: Screen,
  suggested: Effect.Effect<Option.Option<string>> = Effect.succeedNone
): Effect.Effect<Person, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { bold, cyan, dim, yellow } = screen.palette
    // No key quits by itself: Ctrl-C is one among others.
    const terminal = yield* NodeTerminal.make(() => false)
    const keys = yield* terminal.readInput
    const said = yield* Mailbox.make<string>()
    const stops = yield* Queue.unbounded<void>()
    // Tools may ask at the same time, and a key must not answer a question that was not shown when it was pressed.
    const one = yield* Effect.makeSemaphore(1)

    let draft = LineEditor.empty
    let history: ReadonlyArray<string> = []
    let recalled = -1
    let isPasting = false
    let hasStopped = false
    let question: Question | undefined
    let situation: Situation = { isBusy: false, queued: [] }

    const typed = (line: LineEditor.Line, before: string, ghost: string): Below => {
      const { column, text } = LineEditor.visible(line, screen.columns() - before.length - 1)
      return {
        lines: [`${bold(before)}${text === "" ? dim(ghost) : text}`],
        cursor: before.length + column
      }
    }

    const asked = ({ edited, problem, request: { suggestions } }: Question): Below => {
      if (edited !== undefined) {
        const line = typed(edited, "edit › ", "")
        return { ...line, lines: [dim(problem ?? "  Enter takes it, Escape does not"), ...line.lines] }
      }
      const hasAlways = suggestions.length > 0
      return {
        lines: [
          ...(hasAlways ? [dim(`  always: ${suggestions.map(describeUpdate).join(", ")}`)] : []),
          `  ${bold("y")} once   ${hasAlways ? `${bold("a")} always   ` : ""}${bold("n")} no   ${
            bold("e")
          } edit the input`
        ]
      }
    }

    const redraw = Effect.gen(function*() {
      if (question !== undefined) return yield* screen.below(asked(question))
      const ghost = situation.isBusy ? "" : Option.getOrElse(yield* suggested, () => "")
      const line = typed(draft, "› ", ghost)
      const waiting = situation.queued.map((text) => dim(`  queued: ${Format.oneLine(text, 200)}`))
      const status = situation.isBusy ? [dim(`${cyan("…")} working; Ctrl-C stops it`)] : []
      yield* screen.below({ ...line, lines: [...waiting, ...status, ...line.lines] })
    })

    const goodbye = Effect.suspend(() => {
      question = undefined
      return Effect.zipRight(said.end, screen.below({ lines: [] }))
    })

    const say = Effect.gen(function*() {
      const text = LineEditor.text(draft)
      const meant = text.trim() === "" ? Option.getOrElse(yield* suggested, () => "") : text
      draft = LineEditor.empty
      if (meant.trim() === "") return
      history = [meant, ...history.filter((line) => line !== meant)].slice(0, 100)
      yield* said.offer(meant)
    })

    /** Brings back what was said before; `-1` is nothing. */
    const recall = (by: 1 | -1) => {
      recalled = Math.min(Math.max(recalled + by, -1), history.length - 1)
      draft = LineEditor.of(history[recalled] ?? "")
    }

    const settle = (answer: Deferred.Deferred<Permission.Decision>, word: string, decision: Permission.Decision) => {
      const { request } = question ?? {}
      question = undefined
      return screen.line(`${yellow("?")} ${bold(request?.toolName ?? "")} ${dim(word)}`).pipe(
        Effect.zipRight(Deferred.succeed(answer, decision))
      )
    }

    const onQuestion = (asking: Question, { input, key }: UserInput): Effect.Effect<unknown> => {
      const { answer, edited, request } = asking
      if (edited === undefined) {
        switch (key.name) {
          case "y":
            return settle(answer, "yes, once", Permission.allow())
          case "n":
            return settle(answer, "no", Permission.deny("The user said no."))
          case "a":
            return request.suggestions.length === 0
              ? Effect.void
              : settle(answer, "yes, always", Permission.allow({ updatedPermissions: request.suggestions }))
          case "e":
            question = { ...asking, edited: LineEditor.of(JSON.stringify(request.input)) }
            return Effect.void
          default:
            return Effect.void
        }
      }
      if (key.name === "escape") {
        question = { request, answer }
        return Effect.void
      }
      if (key.name === "return" || key.name === "enter") {
        return Either.match(decodeInput(LineEditor.text(edited)), {
          onLeft: () => {
            question = { ...asking, problem: "This is not a JSON object; Escape goes back" }
            return Effect.void
          },
          onRight: (updatedInput) =>
            settle(
              answer,
              `yes, with ${Format.oneLine(inputOf(updatedInput), 200)}`,
              Permission.allow({ updatedInput })
            )
        })
      }
      const line = LineEditor.press(edited, key, Option.getOrElse(input, () => ""))
      if (line !== undefined) question = { request, answer, edited: line }
      return Effect.void
    }

    const onLine = ({ input, key }: UserInput): Effect.Effect<unknown> => {
      if (key.name === "return" || key.name === "enter") {
        if (!isPasting) return say
        draft = LineEditor.insert(draft, "\n")
        return Effect.void
      }
      if (key.name === "up" || key.name === "down") {
        recall(key.name === "up" ? 1 : -1)
        return Effect.void
      }
      const line = LineEditor.press(draft, key, Option.getOrElse(input, () => ""))
      if (line !== undefined) draft = line
      return Effect.void
    }

    const stop = Effect.suspend(() => {
      if (hasStopped) return goodbye
      hasStopped = true
      if (situation.isBusy) return Queue.offer(stops, undefined)
      draft = LineEditor.empty
      return screen.line(dim("Ctrl-C again, or Ctrl-D, ends the session."))
    })

    const onKey = (pressed: UserInput): Effect.Effect<unknown> => {
      const { ctrl, name } = pressed.key
      if (ctrl && name === "c") return stop
      hasStopped = false
      if (ctrl && name === "d" && LineEditor.text(draft) === "") return goodbye
      if (name === "paste-start" || name === "paste-end") {
        isPasting = name === "paste-start"
        return Effect.void
      }
      return question === undefined ? onLine(pressed) : onQuestion(question, pressed)
    }

    yield* Effect.acquireRelease(
      Effect.sync(() => {
        stdout.write(pasteMode.on)
        // A terminal that is gone, a window that was closed.
        const onEnd = () => said.unsafeDone(Exit.void)
        stdin.once("end", onEnd)
        return onEnd
      }),
      (onEnd) =>
        Effect.zipRight(
          screen.below({ lines: [] }),
          Effect.sync(() => {
            stdin.off("end", onEnd)
            stdout.write(pasteMode.off)
          })
        )
    )
    yield* Effect.forever(Effect.flatMap(keys.take, (pressed) => Effect.zipRight(onKey(pressed), redraw))).pipe(
      Effect.catchAll(() => said.end),
      Effect.forkScoped
    )

    return {
      screen,
      prompt: Effect.option(said.take),
      speaksWhenBusy: true,
      decide: (request) =>
        one.withPermits(1)(Effect.gen(function*() {
          const answer = yield* Deferred.make<Permission.Decision>()
          // Whole, and above: nobody should say yes to what they have not seen.
          yield* screen.line(`${yellow("?")} May ${bold(request.toolName)} run?\n${wholeInputOf(request.input)}`)
          question = { request, answer }
          yield* redraw
          return yield* Effect.onInterrupt(Deferred.await(answer), () =>
            Effect.suspend(() => {
              question = undefined
              return Effect.zipRight(
                screen.line(`${yellow("?")} ${bold(request.toolName)} ${dim("is not asked any more")}`),
                redraw
              )
            }))
        })),
      interrupt: Queue.take(stops),
      tell: (now) =>
        Effect.suspend(() => {
          // A stop that has worked is done with; the next one is a first one again.
          if (situation.isBusy && !now.isBusy) hasStopped = false
          situation = now
          return redraw
        })
    }
  })

/** A JSON object: what a tool takes. */
const decodeInput = Schema.decodeUnknownEither(
  Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
) satisfies (text: string) => Either.Either<JsonObject, unknown>

/**
 * A whole session in the terminal: streamed text, questions that are answered by a key, Ctrl-C that stops a turn, and what
 * it cost. `npm start` plays a recording of it, without `claude` and without a network; `npm start -- --live` talks to the
 * `claude` that is installed.
 */
import * as Session from "@claude-duplex/session/Session"
import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, Option, Stream } from "effect"
import * as Person from "./terminal/person.js"
import * as RecordedCli from "./terminal/recordedCli.js"
import * as Screen from "./terminal/screen.js"

const isLive = process.argv.includes("--live")
const unknown = process.argv.slice(2).find((argument) => argument !== "--live")
if (unknown !== undefined) {
  console.error(`There is no ${unknown} here. npm start plays a recording; npm start -- --live starts your own claude.`)
  process.exit(2)
}

/** A recording has its prompts in it; a real CLI waits for yours. */
const person = Person.isThere
  ? Person.atTerminal(isLive ? undefined : RecordedCli.prompts)
  : isLive
  ? Person.piped
  : Effect.succeed(Person.nobody(RecordedCli.prompts))

const transport = isLive
  ? NodeConnector.layer({ cli: { permissionPromptTool: "stdio", includePartialMessages: true } })
  // At the pace of a model; nobody needs that.
  : MockConnector.layer(RecordedCli.behaviour(Person.isThere ? 1 : 20))

const title = isLive
  ? "Your own claude."
  : "A recording: no claude, no network (npm start -- --live for your own claude)."
const help = "Enter sends a prompt. Ctrl-C stops a turn; between turns, it ends the session."

const converse = Effect.fnUntraced(function*({ hasEnough, prompt }: Person.Person) {
  const session = yield* Session.Session
  let spent = 0

  for (;;) {
    const said = yield* prompt
    if (Option.isNone(said)) break
    if (said.value.trim() === "") continue
    const turn = yield* session.start(said.value)
    const interrupt = Effect.zipRight(hasEnough(turn), turn.interrupt({ escalate: "close" })).pipe(
      Effect.tapError((error) => Screen.line(error.message)),
      Effect.eventually
    )
    yield* Effect.raceFirst(Stream.runForEach(turn.frames, Screen.show), Effect.zipRight(interrupt, Effect.never))
    const result = yield* turn.result
    spent += result.cost.usd
    yield* Screen.ended(result)
  }
  yield* session.close
  yield* Screen.line(`The session cost $${spent.toFixed(4)}.`)
})

Effect.gen(function*() {
  yield* Screen.line(Screen.dim(`${title}\n${help}\n`))
  const somebody = yield* person
  const conversation = Session.layer({ onPermission: somebody.decide }).pipe(Layer.provide(transport))
  yield* Effect.provide(converse(somebody), conversation)
}).pipe(
  Effect.scoped,
  Effect.catchAll((error) => {
    process.exitCode = 1
    return Screen.line(error.message)
  }),
  NodeRuntime.runMain
)

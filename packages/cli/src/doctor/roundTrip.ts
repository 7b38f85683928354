/**
 * One turn of a real `claude` that asks nobody but this process: a scripted API on loopback, a home and a folder of their
 * own, and nothing of the person's environment but `PATH`.
 */
import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
import * as Script from "@claude-duplex/loopback-api/ApiScript"
import * as LoopbackApi from "@claude-duplex/loopback-api/LoopbackApi"
import * as Reply from "@claude-duplex/loopback-api/Reply"
import * as Session from "@claude-duplex/session/Session"
import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Path from "node:path"
import * as Format from "../Format.js"
import * as Check from "./Check.js"

const name = "turn"
const reply = "Loopback."

/** How long it may take: a CLI starts in a second or two, and a busy machine is patient. */
const patience = Duration.seconds(60)

const turn = (
  executable: string
): Effect.Effect<Check.Check, { readonly message: string }, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const root = yield* Effect.flatMap(fs.makeTempDirectoryScoped({ prefix: "claude-duplex-doctor-" }), fs.realPath)
    const [home, cwd] = [Path.join(root, "home"), Path.join(root, "project")]
    yield* Effect.forEach([home, cwd], (folder) => fs.makeDirectory(folder))
    const api = yield* LoopbackApi.make(Script.always(Reply.text(reply)))
    const session = yield* Session.fromConnector(
      yield* NodeConnector.make({
        executable,
        cwd,
        inheritEnv: false,
        checkVersion: false,
        env: { PATH: process.env["PATH"], HOME: home, TMPDIR: root, ...LoopbackApi.cliEnvironment(api) },
        cli: { permissionPromptTool: "stdio" },
        inputGrace: "2 seconds",
        termGrace: "2 seconds"
      })
    )
    const [took, { errors, outcome, text }] = yield* Effect.timed(session.send("Say a word."))
    const asked = (yield* api.requests).filter(ApiRequest.isMessages).length
    const data = { millis: Math.round(Duration.toMillis(took)), requests: asked, text }
    if (outcome !== "success") {
      return Check.failed(name, `one on loopback ended in an error: ${Format.oneLine(errors.join(" "), 200)}`, {
        advice: ["The CLI starts, and does not get through a turn. claude --debug says more."],
        data
      })
    }
    return asked === 0 || !text.includes(reply)
      ? Check.failed(
        name,
        `one on loopback did not come from there: it said ${JSON.stringify(Format.oneLine(text, 80))}`,
        {
          advice: ["Either this is not claude, or something takes it elsewhere than ANTHROPIC_BASE_URL says."],
          data
        }
      )
      : Check.ok(name, `one on loopback, offline, took ${Format.millis(Duration.toMillis(took))}`, { data })
  })

/** Tries a turn. */
export const check = (executable: string): Effect.Effect<Check.Check, never, FileSystem.FileSystem> =>
  turn(executable).pipe(
    Effect.scoped,
    Effect.timeoutFail({
      duration: patience,
      onTimeout: () => ({ message: `it did not end within ${Format.millis(Duration.toMillis(patience))}` })
    }),
    Effect.catchAll(({ message }) =>
      Effect.succeed(Check.failed(name, `one on loopback failed: ${Format.oneLine(message, 300)}`, {
        advice: ["Try claude --print hello by itself; what it writes to stderr says why."]
      }))
    )
  )

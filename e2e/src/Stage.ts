/**
 * Where a scenario is played: a world with a scripted model, and a session in it whose traffic is recorded. Owns that a play
 * becomes a recording; what is played is in `Scenarios`.
 */
import type * as Script from "@claude-duplex/loopback-api/ApiScript"
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import type { SessionExit } from "@claude-duplex/protocol/SessionExit"
import type * as Session from "@claude-duplex/session/Session"
import * as Recorder from "@claude-duplex/transport-mock/Recorder"
import type { Recording } from "@claude-duplex/transport-mock/Recording"
import type { CliOptions } from "@claude-duplex/transport-node/CliOptions"
import { Deferred, Effect, type Scope } from "effect"
import { anonymous } from "./Anonymous.js"
import * as Conversation from "./Conversation.js"
import * as Model from "./Model.js"
import type { Support } from "./Versions.js"
import * as World from "./World.js"

/** What a scenario has. */
export interface Stage {
  readonly world: World.World
  readonly supports: Support
  /** Has the model answer what began with `WAIT`. */
  readonly letGo: Effect.Effect<void>
  /** Begins the conversation that is recorded. There is one; others are begun by `Conversation.open`. */
  readonly open: (
    options?: Session.Options,
    cli?: CliOptions,
    env?: { readonly [name: string]: string }
  ) => Effect.Effect<Session.Service, ControlError | EncodeError | Error, Scope.Scope>
}

/** Something that can be recorded. */
export interface Scenario {
  /** The name of its file. Where `recordings` has the same conversation, the name is the same. */
  readonly name: string
  /** What it shows. */
  readonly shows: string
  /** Which CLIs can play it. Default: all. */
  readonly runsOn?: (support: Support) => boolean
  /** Default: the obedient one, which can be made to wait. */
  readonly model?: () => Script.Script
  /** Plays it. What is left open is closed afterwards. */
  readonly play: (stage: Stage) => Effect.Effect<void, unknown, Scope.Scope>
}

/** A recording, and how the CLI ended. */
export interface Take extends Recording {
  readonly exit: SessionExit
}

/** How long a scenario may take, all in all: one that hangs on a new CLI must not hang its check. */
const longest = "90 seconds"

/** Plays a scenario with the CLI that is tried, to its end. */
export const play = (scenario: Scenario): Effect.Effect<Take, unknown> =>
  Effect.gen(function*() {
    const memory = yield* Recorder.toMemory
    const gate = yield* Deferred.make<void>()
    const opened: Array<Session.Service> = []
    // A recorder bears with a line that it cannot redact: it ends, and the session goes on. Here that is a failure.
    let refused: unknown
    const exit = yield* Effect.scoped(Effect.gen(function*() {
      const world = yield* World.make(scenario.model?.() ?? Model.gated(Deferred.await(gate)))
      const hide = anonymous(world)
      const redact: typeof hide = (line, dir) => {
        try {
          return hide(line, dir)
        } catch (error) {
          refused ??= error
          throw error
        }
      }
      yield* scenario.play({
        world,
        supports: World.cli.supports,
        letGo: Deferred.succeed(gate, undefined),
        open: (options, cli, env) =>
          World.connector(world, Conversation.cliOptions(cli), env).pipe(
            Effect.map((connector) => Recorder.connector(connector, { sink: memory.sink, redact })),
            Effect.flatMap((connector) => World.session(connector, options)),
            Effect.tap((session) => opened.push(session))
          )
      })
      const [session, ...others] = opened
      if (session === undefined || others.length > 0) {
        return yield* Effect.dieMessage(`${scenario.name} has ${opened.length} conversations; a recording is of one`)
      }
      return yield* session.close
    }))
    if (refused !== undefined) return yield* Effect.fail(refused)
    return { entries: yield* memory.entries, exit }
  }).pipe(Effect.timeoutFail({ duration: longest, onTimeout: () => new Error(`it was not done after ${longest}`) }))

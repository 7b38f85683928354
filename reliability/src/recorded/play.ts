/**
 * Plays a recording to a session from its first line to its last, with the recorded host on the session's side: it speaks
 * once as much of the CLI's has come as had come then. Faults may be put in between; so it waits with patience, and then
 * goes on. Judges nothing: what happened is given back.
 */
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import * as Frame from "@claude-duplex/protocol/Frame"
import type { HostRequest } from "@claude-duplex/protocol/schema/HostRequest"
import type { OutboxFull, SessionBusy, SessionClosed } from "@claude-duplex/protocol/SessionError"
import * as Session from "@claude-duplex/session/Session"
import type { SessionEvent } from "@claude-duplex/session/SessionEvent"
import type { Turn } from "@claude-duplex/session/Turn"
import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import type { Behaviour, Peer } from "@claude-duplex/transport-mock/Peer"
import * as Replay from "@claude-duplex/transport-mock/Replay"
import type { ReplayError } from "@claude-duplex/transport-mock/ReplayError"
import { Effect, Fiber, Option, Stream } from "effect"
import { ask, handlersOf, initializeOf, type Json, parse, recordedBy, trySaying } from "./recordedHost.js"
import * as Recordings from "./recordings.js"

/** How a recording is played. */
export interface Options {
  /** What goes wrong: put around the CLI. */
  readonly faulty?: ((cli: Behaviour<ReplayError>) => Behaviour<ReplayError>) | undefined
}

/** A request of the host's. */
interface Asked {
  readonly id: string
  readonly request: HostRequest
  readonly fiber: Fiber.Fiber<unknown, ControlError | EncodeError>
}

/** Longer than anything takes that is still coming. */
const patience = "1 hour"

/** Plays a recording. Fails if the session cannot even begin. */
export const play = (name: string, { faulty }: Options = {}) =>
  Effect.gen(function*() {
    const recorded = recordedBy(name)
    const exit = Recordings.exits[name]
    const replay = Replay.behaviour({ entries: recorded.entries }, {
      mode: "causal",
      ...(faulty === undefined
        ? { compare: Recordings.differently.has(name) ? "kind" : "exact" }
        // A host that is told nonsense may ask for less or more; what it says is judged by whoever reads `written`.
        : { compare: "none", ignoreExtra: true }),
      ...exit
    })
    const wire = new Wire()
    const transport = yield* MockTransport.make<ReplayError>((peer) =>
      (faulty === undefined ? replay : faulty(replay))(wire.tap(peer))
    )
    const called: Array<string> = []
    const replayUserMessages = recorded.cli.some((frame) => frame["isReplay"] === true)
    const s = yield* Session.fromTransport({ ...transport, launch: { replayUserMessages } }, {
      ...handlersOf(recorded, called),
      history: 1_000
    })

    // ---- who listens ----

    const events: Array<SessionEvent> = []
    const arrived = new Arrived()
    const listening = yield* (yield* s.subscribe({ history: true })).pipe(
      Stream.runForEach((event) => {
        events.push(event)
        // Lines that are no frames were not recorded, and nobody waits for them.
        if (event._tag === "Received" && !(!Frame.isKnown(event.item) && event.item._tag === "DecodeError")) {
          arrived.one()
        }
        return Effect.void
      }),
      Effect.orDie,
      Effect.fork
    )
    const watchers = [
      yield* Effect.fork(Stream.runDrain(s.cost.changes)),
      yield* Effect.fork(Stream.runDrain(s.sessionId.changes)),
      yield* Effect.fork(Stream.runDrain(s.status.changes)),
      yield* Effect.fork(Stream.runDrain(s.permissions.changes))
    ]

    // ---- what is said ----

    /** For what may never come. */
    const patiently = <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.timeoutOption(Effect.raceFirst(Effect.option(effect), Effect.as(s.awaitExit, Option.none())), patience)
    const lines = (count: number) => arrived.has(count) ? Effect.void : patiently(arrived.until(count))

    const turns: Array<Turn> = []
    const refused: Array<SessionBusy | SessionClosed | OutboxFull | EncodeError> = []
    const requests: Array<Asked> = []
    const unsaid = yield* Effect.forEach(recorded.unsaid, (line) => trySaying(s, line)).pipe(
      Effect.catchAll((error) => Effect.succeed([String(error)]))
    )
    const asksByItself = initializeOf(recorded)
    for (const { after, frame } of recorded.steps) {
      if (frame.type === "control_request" && frame.request === asksByItself) continue
      yield* lines(after)
      switch (frame.type) {
        case "user": {
          const phases = yield* Effect.forEach(turns, ({ phase }) => phase)
          // With nothing under way the default must do: it is refused if the session thinks otherwise.
          const whenBusy = phases.every((phase) => phase === "Ended") ? "reject" : "steer"
          const started = yield* Effect.either(s.start(frame.message.content, { whenBusy }))
          if (started._tag === "Left") refused.push(started.left)
          else {
            turns.push(started.right)
            // A fault may take away what tells whose turn runs: then what was shown is taken back.
            const watching = Effect.eventually(Stream.runDrain(started.right.frames))
            watchers.push(yield* Effect.fork(watching))
          }
          break
        }
        case "control_request": {
          const fiber = yield* Effect.fork(ask(s, frame.request))
          requests.push({ id: frame.request_id, request: frame.request, fiber })
          // Until it is written.
          yield* Effect.yieldNow()
          break
        }
        case "control_cancel_request":
          yield* Effect.forEach(
            requests,
            ({ fiber, id }) => id === frame.request_id ? Fiber.interrupt(fiber) : Effect.void
          )
          break
        case "control_response":
          // A handler answers it.
          break
      }
    }

    // ---- how it ends ----

    const endsInTurn = Recordings.endsInputInTurn.has(name)
    if (endsInTurn) {
      yield* Effect.ignore(s.endInput())
    }
    yield* lines(recorded.cli.length)
    yield* patiently(Effect.forEach(turns, ({ result }) => Effect.exit(result)))
    const endsItself = exit?.exitAfter !== undefined || endsInTurn
    const forced = endsItself ? false : yield* s.endInput().pipe(
      Effect.as(false),
      Effect.catchAll(() => Effect.as(Effect.ignore(s.endInput({ force: true })), true))
    )
    const byItself = yield* Effect.timeoutOption(s.awaitExit, patience)
    const ended = Option.getOrUndefined(byItself) ?? (yield* s.close)
    const results = yield* Effect.forEach(turns, ({ result }) => Effect.exit(result))
    const answers = yield* Effect.forEach(requests, ({ fiber }) => Fiber.await(fiber))
    const outcome = yield* Effect.exit(transport.outcome)
    yield* Fiber.join(listening)
    yield* Effect.forEach(watchers, Fiber.join)
    const { said, written } = wire
    return {
      recorded,
      /** What the session wrote. */
      written,
      /** The bytes that it got. */
      said,
      called,
      unsaid,
      events,
      turns,
      refused,
      requests,
      results,
      answers,
      /** The input had to be ended by force: the session was not at rest. */
      forced,
      /** The CLI did not even end then, and was killed. */
      killed: Option.isNone(byItself),
      ended,
      /** How the fake came out: whether the session strayed from the recording. */
      outcome
    }
  })

/** What happened. */
export type Played = Effect.Effect.Success<ReturnType<typeof play>>

/** How many frames have come. */
class Arrived {
  #count = 0
  readonly #waiting = new Map<() => void, number>()

  has(count: number): boolean {
    return this.#count >= count
  }

  one(): void {
    this.#count++
    for (const [resume, count] of this.#waiting) if (this.has(count)) resume()
  }

  until(count: number): Effect.Effect<void> {
    return Effect.async((done) => {
      const resume = () => done(Effect.void)
      if (this.has(count)) return resume()
      this.#waiting.set(resume, count)
      return Effect.sync(() => this.#waiting.delete(resume))
    })
  }
}

/** Notes what passes. */
class Wire {
  readonly written: Array<Json> = []
  readonly said: Array<Uint8Array> = []

  tap(peer: Peer): Peer {
    return {
      ...peer,
      receive: Effect.tap(peer.receive, (line) => {
        if (Option.isSome(line)) this.written.push(parse(line.value))
      }),
      write: (bytes) =>
        Effect.suspend(() => {
          this.said.push(bytes)
          return peer.write(bytes)
        })
    }
  }
}

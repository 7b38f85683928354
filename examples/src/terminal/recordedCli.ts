/**
 * A CLI that plays the tour to a person, who answers and interrupts as they like. `Replay` plays a recording to a host that
 * does what the recorded one did; this parts from the recording where the person does, and goes on with what a real CLI
 * did there, in another recording:
 *
 * | the person            | what comes then was recorded in                |
 * | --------------------- | ---------------------------------------------- |
 * | says no to a tool     | `tour-denied`                                  |
 * | interrupts            | the last turn of `tour`, which was interrupted |
 * | interrupts a question | `perm-pending-interrupt`                       |
 */
import * as Codec from "@claude-duplex/protocol/Codec"
import * as Frame from "@claude-duplex/protocol/Frame"
import type { Behaviour, Peer } from "@claude-duplex/transport-mock/Peer"
import type * as Recording from "@claude-duplex/transport-mock/Recording"
import * as Replay from "@claude-duplex/transport-mock/Replay"
import type { ReplayError } from "@claude-duplex/transport-mock/ReplayError"
import { Deferred, Effect, Either, Option } from "effect"
import { recording } from "../support/fakes.js"

type Entries = ReadonlyArray<Recording.Entry>

/** What a line of the host's means to the tour. */
const meaning = (line: string): "message" | "interrupt" | "allow" | "deny" | undefined => {
  const frame = Either.getOrUndefined(Codec.host.decode(line))
  if (frame === undefined || !Frame.isKnown(frame)) return undefined
  switch (frame.type) {
    case "user":
      return "message"
    case "control_request":
      return frame.request.subtype === "interrupt" ? "interrupt" : undefined
    case "control_response": {
      const { response } = frame
      return response.subtype === "success" && response.response?.["behavior"] === "allow" ? "allow" : "deny"
    }
    default:
      return undefined
  }
}

const isHosts = (what: ReturnType<typeof meaning>) => ({ dir, line }: Recording.Entry) =>
  dir === "host" && meaning(line) === what

/** The id under which a recorded CLI asked its question. */
const questionIn = (entries: Entries): string =>
  entries.flatMap(({ dir, line }) =>
    dir === "cli" ? /"request_id":"([^"]+)".*"can_use_tool"/.exec(line)?.[1] ?? [] : []
  )[0] ?? ""

const tour = recording("tour").entries
const question = questionIn(tour)

/** From where the ways part, with the message before it: the ids of the live host are learned from both. */
const since = (parting: "interrupt" | "deny", entries: Entries): Entries => {
  const at = entries.findIndex(isHosts(parting))
  const message = entries.slice(0, at).reverse().find(isHosts("message"))
  const asked = questionIn(entries)
  return [...(message === undefined ? [] : [message]), ...entries.slice(at)].map((entry) =>
    asked === "" ? entry : { ...entry, line: entry.line.replaceAll(asked, question) }
  )
}

/** A frame that is played again is another frame: a session takes a result that it knows by its uuid for a copy. */
const anew = (entries: Entries): Entries =>
  entries.map((entry) =>
    entry.dir === "host"
      ? entry
      : { ...entry, line: entry.line.replace(/"uuid":"[^"]+"/, () => `"uuid":"${crypto.randomUUID()}"`) }
  )

const ways = {
  denied: since("deny", recording("tour-denied").entries),
  interrupted: since("interrupt", tour),
  withdrawn: since("interrupt", recording("perm-pending-interrupt").entries)
}

/** Each message of the recorded host's, and all that followed from it. */
const turns: ReadonlyArray<Entries> = tour
  .flatMap((entry, index) => isHosts("message")(entry) ? [index] : [])
  .map((start, turn, starts) => tour.slice(start, starts[turn + 1]))

/** What the recorded host said. */
export const prompts: ReadonlyArray<string> = turns.map(([message]) => {
  const frame = Either.getOrUndefined(Codec.host.decode(message?.line ?? ""))
  return frame !== undefined && Frame.isKnown(frame) && frame.type === "user" ? String(frame.message.content) : ""
})

/** The CLI, so many times as fast as it was. */
export const behaviour = (speed: number): Behaviour<ReplayError> => (peer) =>
  Effect.gen(function*() {
    const wire: Wire = { peer, early: [], options: { mode: "timed", speed, sessionId, exitAfter: "LastEntry" } }
    for (const turn of turns) {
      const message = yield* nextMessage(wire)
      if (Option.isSome(message)) yield* play(wire, turn, [message.value])
    }
    yield* nextMessage(wire)
  })

/** One session, though its parts were recorded in several. */
const sessionId = "00000000-0000-4000-8000-000000000000"

/** What the turns share. */
interface Wire {
  readonly peer: Peer
  readonly options: Replay.Options
  /** Messages that came when the CLI had said the result of a turn, and not yet all that comes after it. */
  readonly early: Array<string>
}

const nextMessage = ({ early, peer }: Wire): Effect.Effect<Option.Option<string>> =>
  Effect.suspend(() => {
    const first = early.shift()
    if (first !== undefined) return Effect.succeedSome(first)
    // Whatever else comes between two turns came too late for the first.
    return Effect.repeat(peer.receive, {
      until: Option.match({ onNone: () => true, onSome: (line) => meaning(line) === "message" })
    })
  })

/** Plays a turn of which the host has said this much, until it is over or the ways part. */
const play = (
  wire: Wire,
  entries: Entries,
  said: readonly [message: string, ...rest: ReadonlyArray<string>]
): Effect.Effect<void, ReplayError> =>
  Effect.gen(function*() {
    const { early, options, peer } = wire
    const parted = yield* Deferred.make<readonly [Entries, string]>()
    const again = [...said]
    let isAsked = false

    /** Whether a line belongs here. One that does not ends this way, or waits for the end of it. */
    const hear = (line: string): Effect.Effect<unknown> => {
      const part = (other: Entries) => Effect.zipRight(Deferred.succeed(parted, [anew(other), line]), Effect.never)
      switch (meaning(line)) {
        case "message":
          early.push(line)
          return Effect.never
        case "interrupt":
          return part(isAsked ? ways.withdrawn : ways.interrupted)
        case "deny":
          return part(ways.denied)
        default:
          isAsked = false
          return Effect.void
      }
    }

    const here: Peer = {
      ...peer,
      receive: Effect.suspend(() => {
        const before = again.shift()
        return before === undefined
          ? Effect.tap(peer.receive, Option.match({ onNone: () => Effect.void, onSome: hear }))
          : Effect.succeedSome(before)
      }),
      write: (bytes) =>
        Effect.suspend(() => {
          isAsked ||= new TextDecoder().decode(bytes).includes(`"subtype":"can_use_tool"`)
          return peer.write(bytes)
        }),
      // The turn is over, the CLI is not.
      exit: () => Effect.void
    }
    const end = yield* Effect.raceFirst(
      Effect.as(Replay.behaviour({ entries }, options)(here), Option.none()),
      Effect.asSome(Deferred.await(parted))
    )
    if (Option.isSome(end)) yield* play(wire, end.value[0], [said[0], end.value[1]])
  })

/**
 * What tests need around a session with a real CLI beside the session itself: to begin one as this version can, and to know
 * that something has come so far. Owns no waiting by time: each of these waits for something that happens.
 */
import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
import * as Frame from "@claude-duplex/protocol/Frame"
import type * as Session from "@claude-duplex/session/Session"
import type { SessionEvent } from "@claude-duplex/session/SessionEvent"
import type { CliOptions } from "@claude-duplex/transport-node/CliOptions"
import { Chunk, Effect, type Option, Stream } from "effect"
import * as World from "./World.js"

/** Flags that this CLI knows. 1.0.60 does not know `--replay-user-messages`, and ends at it. */
export const cliOptions = (options?: CliOptions): CliOptions =>
  World.cli.supports.initialize ? { ...options } : { replayUserMessages: false, ...options }

/** A session with the CLI that is tried. */
export const open = <R = never>(
  world: World.World,
  options?: Session.Options<R>,
  cli?: CliOptions,
  env?: { readonly [name: string]: string }
) => Effect.flatMap(World.connector(world, cliOptions(cli), env), (connector) => World.session(connector, options))

/** A request of the conversation itself, and not of what a CLI asks beside it; with this text in what was said. */
const isAbout = (text: string) => (request: ApiRequest.ApiRequest): request is ApiRequest.Messages =>
  ApiRequest.isMessages(request) && ApiRequest.toolNames(request).length > 0 &&
  JSON.stringify(request.body.messages).includes(text)

/** The model has been asked something with this text in it. */
export const asked = (world: World.World, text: string) => world.api.awaitRequest(isAbout(text))

/** All that the model has been asked with this text in it. */
export const requestsAbout = (world: World.World, text: string) =>
  Effect.map(world.api.requests, (requests) => requests.filter(isAbout(text)))

/**
 * The CLI has read all that was written so far: lines are read in order, and it has answered the last one. A CLI that knows
 * no such request is not asked; those do what they are told in the order in which they are told, whenever they read it.
 */
export const isRead = (session: Session.Service) =>
  World.cli.supports.initialize ? Effect.asVoid(session.control.mcpStatus()) : Effect.void

/** What happens from now on, as far as it was told when this is looked at. */
export const record = (session: Session.Service) =>
  Effect.gen(function*() {
    const seen: Array<SessionEvent> = []
    const events = yield* session.subscribe({ capacity: 100_000 })
    yield* Effect.forkScoped(Stream.runForEach(events, (event) => Effect.sync(() => seen.push(event))))
    return {
      seen,
      /** Frames of the CLI's that were understood. */
      frames: () => seen.flatMap((event) => event._tag === "Received" && Frame.isKnown(event.item) ? [event.item] : [])
    }
  })

/** The first event that this makes something of, from now on: run the effect that is given to see it. */
export const awaitEvent = <A>(session: Session.Service, pick: (event: SessionEvent) => Option.Option<A>) =>
  Effect.map(session.subscribe({ capacity: 100_000 }), (events) =>
    events.pipe(
      Stream.filterMap(pick),
      Stream.take(1),
      Stream.runCollect,
      Effect.flatMap(Chunk.head)
    ))

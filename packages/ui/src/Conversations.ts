/**
 * The conversations that the page can see: recordings that were opened, and sessions that are held here for a person, who
 * decides what may run: every permission is deferred. Owns their names and lives; how the page reaches them is `Api`'s.
 *
 * @since 0.1.0
 * @stability experimental
 */
import type * as Connector from "@claude-duplex/protocol/Connector"
import * as Permission from "@claude-duplex/session/Permission"
import * as Session from "@claude-duplex/session/Session"
import * as Recorder from "@claude-duplex/transport-mock/Recorder"
import type { Entry } from "@claude-duplex/transport-mock/Recording"
import type { FileSystem } from "@effect/platform/FileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { basename } from "node:path"
import { type Batch, type Conversation, type Decision, type Prompt, UiError } from "./Api.js"
import * as RecordingFile from "./RecordingFile.js"
import { WireLog } from "./WireLog.js"

/** How conversations are held. */
export interface Options {
  /** Starts the CLIs of live conversations. Without it, there are recordings only. */
  readonly connector?: Connector.Service | undefined
  /** How many lines of a live conversation are kept to be looked at. Default: 100,000. */
  readonly kept?: number | undefined
}

/** Conversations, and what can be done with them. */
export interface Service {
  readonly all: Effect.Effect<ReadonlyArray<Conversation>>
  /** The same now, and whenever it changes. */
  readonly changes: Stream.Stream<ReadonlyArray<Conversation>>
  readonly openRecording: (path: string) => Effect.Effect<Conversation, never, FileSystem>
  readonly start: Effect.Effect<Conversation, UiError>
  readonly entries: (id: string, from: number) => Stream.Stream<Batch, UiError>
  readonly entry: (id: string, index: number) => Effect.Effect<Entry, UiError>
  /** Open questions of all live conversations now, and whenever that changes. */
  readonly prompts: Stream.Stream<ReadonlyArray<Prompt>>
  readonly answer: (id: string, prompt: string, decision: Decision) => Effect.Effect<void, UiError>
  readonly send: (id: string, text: string, whenBusy: "queue" | "steer") => Effect.Effect<void, UiError>
  readonly interrupt: (id: string) => Effect.Effect<void, UiError>
  readonly close: (id: string) => Effect.Effect<void, UiError>
}

/** Conversations, as a service. */
export class Conversations extends Context.Tag("@claude-duplex/ui/Conversations")<Conversations, Service>() {}

/** A conversation, and where its lines are. */
interface Held {
  readonly about: Conversation
  readonly session: Session.Service | undefined
  readonly follow: (from: number) => Stream.Stream<Batch, UiError>
  readonly at: (index: number) => Effect.Effect<Option.Option<Entry>, UiError>
}

/**
 * Holds conversations until the scope closes.
 *
 * @example
 * ```ts
 * import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
 * import * as Conversations from "@claude-duplex/ui/Conversations"
 * import { Effect } from "effect"
 *
 * const held = Effect.flatMap(
 *   NodeConnector.make({ cli: { permissionPromptTool: "stdio" } }),
 *   (connector) => Conversations.make({ connector })
 * )
 * ```
 */
export const make = (
  { connector, kept = 100_000 }: Options = {}
): Effect.Effect<Service, never, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const held = yield* SubscriptionRef.make<ReadonlyMap<string, Held>>(new Map())
    const prompts = yield* SubscriptionRef.make<ReadonlyArray<Prompt>>([])
    let last = 0

    const put = (conversation: Held) =>
      SubscriptionRef.update(held, (all) => new Map(all).set(conversation.about.id, conversation))

    const find = (id: string) =>
      Effect.flatMap(SubscriptionRef.get(held), (all) => {
        const conversation = all.get(id)
        return conversation === undefined
          ? new UiError({ reason: "NoSuchConversation", detail: `There is no conversation ${id}.` })
          : Effect.succeed(conversation)
      })

    const live = (id: string) =>
      Effect.flatMap(find(id), ({ about, session }) =>
        session === undefined || about.status === "Closed"
          ? new UiError({ reason: "NotLive", detail: `${about.title} does not go on: nothing can be said in it.` })
          : Effect.succeed(session))

    const begin = (connector: Connector.Service) =>
      Effect.gen(function*() {
        const id = `live-${++last}`
        const log = new WireLog(kept)
        const recorded = Recorder.connector(connector, { sink: (entries) => Effect.sync(() => log.append(entries)) })
        const session = yield* Session.fromConnector(recorded, {
          onPermission: () => Effect.succeed(Permission.defer)
        })
        const conversation: Held = {
          about: { id, kind: "live", title: `Session ${last}`, status: (yield* session.status.get)._tag },
          session,
          follow: (from) => log.follow(from),
          at: (index) => Effect.succeed(log.at(index))
        }
        yield* put(conversation)
        yield* Effect.forkScoped(Effect.ensuring(
          Stream.runForEach(
            session.status.changes,
            ({ _tag }) => put({ ...conversation, about: { ...conversation.about, status: _tag } })
          ),
          Effect.sync(() => log.end())
        ))
        yield* Effect.forkScoped(Stream.runForEach(session.permissions.changes, (pending) =>
          SubscriptionRef.update(prompts, (all) => [
            ...all.filter(({ conversation }) => conversation !== id),
            ...pending.map(({ id: question, input, suggestions, toolName }) => ({
              conversation: id,
              id: question,
              input,
              suggestions,
              toolName
            }))
          ])))
        return conversation.about
      })

    return {
      all: Effect.map(SubscriptionRef.get(held), listed),
      changes: Stream.map(held.changes, listed),
      openRecording: (path) =>
        Effect.gen(function*() {
          const file = yield* RecordingFile.make(path)
          const about: Conversation = {
            id: `recording-${++last}`,
            kind: "recording",
            title: basename(path),
            status: "Recorded"
          }
          yield* put({ about, session: undefined, ...file })
          return about
        }),
      start: connector === undefined
        ? new UiError({ reason: "Refused", detail: "This server shows recordings only." })
        : begin(connector).pipe(Scope.extend(scope), Effect.mapError(refused)),
      entries: (id, from) => Stream.unwrap(Effect.map(find(id), ({ follow }) => follow(from))),
      entry: (id, index) =>
        Effect.flatMap(find(id), ({ about, at }) =>
          Effect.flatMap(
            at(index),
            Option.match({
              onNone: () => new UiError({ reason: "NoSuchEntry", detail: `${about.title} has no line ${index}.` }),
              onSome: Effect.succeed
            })
          )),
      prompts: prompts.changes,
      answer: (id, prompt, decision) =>
        Effect.gen(function*() {
          const session = yield* live(id)
          const pending = (yield* session.permissions.get).find((question) => question.id === prompt)
          yield* Effect.mapError(
            session.respondToPermission(prompt, decisionOf(decision, pending?.suggestions ?? [])),
            refused
          )
        }),
      send: (id, text, whenBusy) =>
        Effect.flatMap(
          live(id),
          (session) => Effect.mapError(Effect.asVoid(session.start(text, { whenBusy })), refused)
        ),
      interrupt: (id) =>
        Effect.flatMap(live(id), (session) => Effect.mapError(Effect.asVoid(session.interrupt()), refused)),
      close: (id) => Effect.flatMap(live(id), (session) => Effect.asVoid(session.close))
    }
  })

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import * as Conversations from "@claude-duplex/ui/Conversations"
 *
 * const RecordingsOnly = Conversations.layer()
 * ```
 */
export const layer = (options?: Options): Layer.Layer<Conversations> => Layer.scoped(Conversations, make(options))

const listed = (held: ReadonlyMap<string, Held>): ReadonlyArray<Conversation> =>
  Array.from(held.values(), ({ about }) => about)

const decisionOf = (
  decision: Decision,
  suggestions: Permission.Request["suggestions"]
): Permission.Allow | Permission.Deny =>
  decision._tag === "Deny" ? Permission.deny(decision.message) : Permission.allow({
    updatedInput: decision.updatedInput,
    ...(decision.always ? { updatedPermissions: suggestions } : {})
  })

const refused = (error: unknown): UiError =>
  new UiError({ reason: "Refused", detail: error instanceof Error ? error.message : String(error) })

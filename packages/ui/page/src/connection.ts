/** The page's end of the `Api`: asks the server that the page came from, and again when the connection was lost. */
import { Api, type Batch, type Conversation, type Decision, type Prompt, type UiError } from "@claude-duplex/ui/Api"
import * as Socket from "@effect/platform/Socket"
import * as RpcClient from "@effect/rpc/RpcClient"
import type { RpcClientError } from "@effect/rpc/RpcClientError"
import * as RpcSerialization from "@effect/rpc/RpcSerialization"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

class Client extends Context.Tag("@claude-duplex/ui/page/Client")<
  Client,
  RpcClient.FromGroup<typeof Api, RpcClientError>
>() {}

const address = new URL("rpc", location.href)
address.protocol = "ws:"
address.search = ""
address.hash = ""

const runtime = ManagedRuntime.make(
  Layer.scoped(Client, RpcClient.make(Api)).pipe(
    Layer.provide(RpcClient.layerProtocolSocket({ retryTransientErrors: true })),
    Layer.provide(Socket.layerWebSocket(address.href)),
    Layer.provide(Socket.layerWebSocketConstructorGlobal),
    Layer.provide(RpcSerialization.layerJson)
  )
)

/** Stops listening. */
export type Stop = () => void

/** Listens until stopped. A connection that is lost is made again, and what it is about begins anew. */
const listen = <A>(
  stream: (client: Context.Tag.Service<Client>) => Stream.Stream<A, UiError | RpcClientError>,
  onNext: (value: A) => void,
  onLost: (reason: string) => void
): Stop =>
  runtime.runCallback(
    Effect.flatMap(Client, (client) => Stream.runForEach(stream(client), (value) => Effect.sync(() => onNext(value))))
      .pipe(
        Effect.tapError((error) => Effect.sync(() => onLost(error.message))),
        Effect.retry({ schedule: Schedule.spaced("1 second"), while: (error) => error._tag !== "UiError" })
      )
  )

const ask = (
  f: (client: Context.Tag.Service<Client>) => Effect.Effect<unknown, UiError | RpcClientError>
): Promise<string> =>
  runtime.runPromise(
    Effect.match(Effect.flatMap(Client, f), { onFailure: (error) => error.message, onSuccess: () => "" })
  )

/** The conversations, whenever they change. */
export const watch = (onNext: (all: ReadonlyArray<Conversation>) => void, onLost: (reason: string) => void): Stop =>
  listen((client) => client.Watch(), onNext, onLost)

/** The open questions, whenever they change. */
export const prompts = (onNext: (all: ReadonlyArray<Prompt>) => void): Stop =>
  listen((client) => client.Prompts(), onNext, () => onNext([]))

/** The lines of a conversation, from the first one on that has not been seen. */
export const entries = (
  conversation: string,
  next: () => number,
  onNext: (batch: Batch) => void,
  onLost: (reason: string) => void
): Stop => listen((client) => Stream.suspend(() => client.Entries({ conversation, from: next() })), onNext, onLost)

/** One line, whole; or why not. */
export const entry = (conversation: string, index: number): Promise<string> =>
  runtime.runPromise(Effect.match(Effect.flatMap(Client, (client) => client.Entry({ conversation, index })), {
    onFailure: (error) => error.message,
    onSuccess: ({ line }) => line
  }))

/** These give what went wrong, or nothing. */
export const start = (onStarted: (conversation: Conversation) => void): Promise<string> =>
  ask((client) => Effect.map(client.Start(), onStarted))

export const send = (conversation: string, text: string, whenBusy: "queue" | "steer"): Promise<string> =>
  ask((client) => client.Send({ conversation, text, whenBusy }))

export const interrupt = (conversation: string): Promise<string> => ask((client) => client.Interrupt({ conversation }))

export const close = (conversation: string): Promise<string> => ask((client) => client.Close({ conversation }))

export const answer = ({ conversation, id }: Prompt, decision: Decision): Promise<string> =>
  ask((client) => client.Answer({ conversation, id, decision }))

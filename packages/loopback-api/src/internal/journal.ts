/** What a server was asked, how each answer ended, and what went wrong. Owns this memory, and tells it to many. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type * as Http from "node:http"
import type * as ApiRequest from "../ApiRequest.js"
import { LoopbackError } from "../LoopbackError.js"
import type { Ending } from "../Reply.js"

interface Entry {
  readonly request: ApiRequest.ApiRequest
  readonly ended: Deferred.Deferred<Ending>
}

export interface Journal {
  /** Gives a request its number, and notes it. */
  readonly record: (
    toRequest: (number: number) => ApiRequest.ApiRequest,
    response: Http.ServerResponse
  ) => Effect.Effect<ApiRequest.ApiRequest>
  readonly complain: (error: LoopbackError) => Effect.Effect<void>
  readonly requests: Effect.Effect<ReadonlyArray<ApiRequest.ApiRequest>>
  readonly arrivals: Stream.Stream<ApiRequest.ApiRequest>
  readonly awaitRequest: {
    <A extends ApiRequest.ApiRequest>(
      refinement: (request: ApiRequest.ApiRequest) => request is A
    ): Effect.Effect<A, LoopbackError>
    (predicate: (request: ApiRequest.ApiRequest) => boolean): Effect.Effect<ApiRequest.ApiRequest, LoopbackError>
  }
  readonly awaitEnd: (request: ApiRequest.ApiRequest) => Effect.Effect<Ending>
  readonly unexpected: Effect.Effect<ReadonlyArray<LoopbackError>>
}

export const make: Effect.Effect<Journal, never, Scope.Scope> = Effect.gen(function*() {
  const entries = yield* SubscriptionRef.make<ReadonlyArray<Entry>>([])
  const problems = yield* Ref.make<ReadonlyArray<LoopbackError>>([])
  const closed = yield* Deferred.make<void>()
  yield* Effect.addFinalizer(() => Deferred.succeed(closed, undefined))

  const arrivals = entries.changes.pipe(
    Stream.mapAccum(0, (seen, all) => [all.length, all.slice(seen)]),
    Stream.flattenIterables,
    Stream.map(({ request }) => request),
    Stream.interruptWhenDeferred(closed)
  )

  return {
    record: (toRequest, response) =>
      Effect.flatMap(Deferred.make<Ending>(), (ended) =>
        SubscriptionRef.modify(entries, (all) => {
          const request = toRequest(all.length + 1)
          const end = () =>
            Deferred.unsafeDone(ended, Effect.succeed(response.writableFinished ? "Complete" : "Incomplete"))
          // Its client may be gone already, and then no event tells of it.
          if (response.destroyed || response.socket === null) end()
          else response.once("close", end)
          return [request, [...all, { request, ended }]]
        })).pipe(Effect.uninterruptible),
    complain: (error) => Ref.update(problems, (known) => [...known, error]),
    requests: Effect.map(SubscriptionRef.get(entries), (all) => all.map(({ request }) => request)),
    arrivals,
    awaitRequest: (predicate: (request: ApiRequest.ApiRequest) => boolean) =>
      Effect.flatMap(
        Stream.runHead(Stream.filter(arrivals, predicate)),
        Option.match({
          onNone: () =>
            new LoopbackError({ reason: "Closed", detail: "The server was closed before the awaited request came." }),
          onSome: Effect.succeed
        })
      ),
    awaitEnd: (request) =>
      Effect.flatMap(SubscriptionRef.get(entries), (all) => {
        const entry = all[request.number - 1]
        return entry?.request === request
          ? Deferred.await(entry.ended)
          : Effect.dieMessage(`Request ${request.number} is not one of this server's.`)
      }),
    unexpected: Ref.get(problems)
  }
})

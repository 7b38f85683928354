/**
 * Which reply a request gets. Owns the choice; what a reply is, `Reply` says, and what becomes of a request that no script
 * answers, `LoopbackApi`.
 *
 * A script is a value that says how to begin: each server that is made with it plays it from its start. It is asked about
 * `POST /v1/messages` only, and in the order of arrival.
 *
 * @since 0.1.0
 * @stability experimental
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Function from "effect/Function"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as ApiRequest from "./ApiRequest.js"
import * as Reply from "./Reply.js"

/** A script that is being played. */
export interface Play<R = never> {
  /** The reply, or none if this script has none to this request. */
  readonly answer: (request: ApiRequest.Messages) => Effect.Effect<Option.Option<Reply.Reply>, never, R>
  /** What was meant to be asked for and has not been, in words. */
  readonly unused: Effect.Effect<ReadonlyArray<string>>
}

/** Decides which reply a request gets. */
export interface Script<R = never> {
  readonly start: Effect.Effect<Play<R>>
}

/** A reply, or how it is made of the request. */
export type Answer = Reply.Reply | ((request: ApiRequest.Messages) => Reply.Reply)

const replyTo = (answer: Answer, request: ApiRequest.Messages): Reply.Reply =>
  typeof answer === "function" ? answer(request) : answer

/**
 * Answers the first request with the first reply, the second with the second, and no more after the last. A server whose
 * sequence was not used up says so in its `outcome`.
 *
 * Every request counts, a retry too: a CLI that gets an error asks again. Side requests of the CLI's count as well, unless
 * {@link conversation} or {@link when} keeps them away.
 *
 * @example
 * ```ts
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 * import * as Script from "@claude-duplex/loopback-api/ApiScript"
 *
 * Script.sequence(
 *   Reply.error(529, { retryAfter: "0 seconds" }),
 *   Reply.toolUse({ name: "Bash", input: { command: "date" } }),
 *   (request) => Reply.text(`You sent ${request.body.messages.length} messages.`)
 * )
 * ```
 */
export const sequence = (...answers: ReadonlyArray<Answer>): Script => ({
  start: Effect.map(Ref.make(0), (next) => ({
    answer: (request) =>
      Effect.map(
        Ref.getAndUpdate(next, (n) => n + 1),
        (n) => Option.map(Option.fromNullable(answers[n]), (answer) => replyTo(answer, request))
      ),
    unused: Effect.map(
      Ref.get(next),
      (n) =>
        n < answers.length
          ? [`${answers.length - n} of ${answers.length} replies of a sequence were not asked for.`]
          : []
    )
  }))
})

/**
 * Answers every request in the same way.
 *
 * @example
 * ```ts
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 * import * as Script from "@claude-duplex/loopback-api/ApiScript"
 *
 * Script.always(Reply.text("ok"))
 * ```
 */
export const always = (answer: Answer): Script => respond((request) => Effect.succeed(replyTo(answer, request)))

/**
 * Answers by looking at the request. An `Option` will do, as an effect; one that fails with a `NoSuchElementException`, as
 * `None` does, leaves the request to others.
 *
 * @example
 * ```ts
 * import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 * import * as Script from "@claude-duplex/loopback-api/ApiScript"
 * import { type Deferred, Effect, Option } from "effect"
 *
 * const echo = Script.respond((request) =>
 *   Option.map(ApiRequest.lastUserText(request), (text) => Reply.text(text))
 * )
 *
 * // Holds the answer back until the test lets it go.
 * const held = (go: Deferred.Deferred<void>) => Script.respond(() => Effect.as(go, Reply.text("at last")))
 * ```
 */
export const respond = <R = never>(
  answer: (request: ApiRequest.Messages) => Effect.Effect<Reply.Reply, Cause.NoSuchElementException, R>
): Script<R> => ({
  start: Effect.succeed({
    answer: (request) => Effect.option(Effect.suspend(() => answer(request))),
    unused: Effect.succeed([])
  })
})

/**
 * Keeps a script to the requests that a predicate accepts; it does not see the others.
 *
 * @example
 * ```ts
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 * import * as Script from "@claude-duplex/loopback-api/ApiScript"
 *
 * const small = Script.when(Script.always(Reply.text("ok")), (request) => request.body.model.includes("haiku"))
 * ```
 */
export const when: {
  (predicate: (request: ApiRequest.Messages) => boolean): <R>(self: Script<R>) => Script<R>
  <R>(self: Script<R>, predicate: (request: ApiRequest.Messages) => boolean): Script<R>
} = Function.dual(
  2,
  <R>(self: Script<R>, predicate: (request: ApiRequest.Messages) => boolean): Script<R> => ({
    start: Effect.map(self.start, (play) => ({
      ...play,
      answer: (request) => predicate(request) ? play.answer(request) : Effect.succeedNone
    }))
  })
)

/**
 * Leaves to a second script what the first has no reply to.
 *
 * @example
 * ```ts
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 * import * as Script from "@claude-duplex/loopback-api/ApiScript"
 *
 * // The first request fails; every other is answered.
 * Script.orElse(Script.sequence(Reply.error(529)), Script.always(Reply.text("ok")))
 * ```
 */
export const orElse: {
  <R2>(that: Script<R2>): <R>(self: Script<R>) => Script<R | R2>
  <R, R2>(self: Script<R>, that: Script<R2>): Script<R | R2>
} = Function.dual(
  2,
  <R, R2>(self: Script<R>, that: Script<R2>): Script<R | R2> => ({
    start: Effect.zipWith(self.start, that.start, (first, second) => ({
      answer: (request) =>
        Effect.flatMap(
          first.answer(request),
          (reply): Effect.Effect<Option.Option<Reply.Reply>, never, R2> =>
            Option.isSome(reply) ? Effect.succeed(reply) : second.answer(request)
        ),
      unused: Effect.zipWith(first.unused, second.unused, (a, b) => [...a, ...b])
    }))
  })
)

/** What may be said about the requests that a CLI makes beside its conversation. */
export interface ConversationOptions<R = never> {
  /** Answers the side requests. Without it, each gets the text `ok`. */
  readonly side?: Script<R> | undefined
  /**
   * Which requests these are. Without it: those that offer the model no tools. A CLI that has no tools itself
   * (`--tools ""`) needs another rule, by the model or the system prompt.
   */
  readonly isSide?: ((request: ApiRequest.Messages) => boolean) | undefined
}

/**
 * Keeps a script to the conversation of a CLI, and answers what the CLI asks beside it (a title, the files that a command
 * touched) in another way. Neither script sees the requests of the other, so that no reply of a sequence is lost to a
 * side request. Subagents and compaction are part of the conversation: they offer tools.
 *
 * @example
 * ```ts
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 * import * as Script from "@claude-duplex/loopback-api/ApiScript"
 *
 * Script.conversation(Script.sequence(Reply.text("one"), Reply.text("two")), {
 *   side: Script.always(Reply.text(`{"title":"Numbers"}`)),
 *   isSide: (request) => request.body.model.includes("haiku")
 * })
 * ```
 */
export const conversation = <R = never, R2 = never>(
  main: Script<R>,
  options: ConversationOptions<R2> = {}
): Script<R | R2> => {
  const isSide = options.isSide ?? ((request) => ApiRequest.toolNames(request).length === 0)
  const side: Script<R2> = options.side ?? always(Reply.text("ok"))
  return orElse(when(main, (request) => !isSide(request)), when(side, isSide))
}

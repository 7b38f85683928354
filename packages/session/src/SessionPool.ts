/**
 * Many sessions, by key: a server has one for each conversation, and a bounded number of them. Built on Effect's `RcMap`
 * (one session a key, shared by all who ask for it, kept for a while after the last one let go) and `Pool` (sessions that
 * are started before anybody asks).
 *
 * - A session that nobody uses is closed after `idleTimeToLive`, or at once when its place is needed: the longest idle first.
 * - When all places are in use, whoever asks waits.
 * - A session whose CLI ended, or is ending, is not given to anybody again: the next one who asks gets a new one.
 *
 * @since 0.1.0
 * @stability experimental
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Pool from "effect/Pool"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import type { Service } from "./Session.js"

/** How a pool is made. */
export interface Options<E, R, E2 = never> {
  /** Makes a session for whoever comes. */
  readonly make: Effect.Effect<Service, E, R | Scope.Scope>
  /** Makes the session for a key that cannot have just any: one that resumes a conversation. None: any will do. */
  readonly makeFor?: ((key: string) => Option.Option<Effect.Effect<Service, E2, R | Scope.Scope>>) | undefined
  /** How many sessions there may be at once, but for those that are kept ready. */
  readonly capacity: number
  /** How many sessions are kept ready for keys that can have any. Default: none. */
  readonly prewarmed?: number | undefined
  /** How long a session is kept that nobody uses. Default: 5 minutes. */
  readonly idleTimeToLive?: Duration.DurationInput | undefined
}

/** Many sessions, by key. */
export interface SessionPool<E = never> {
  /** The session of this key, until the scope closes. */
  readonly get: (key: string) => Effect.Effect<Service, E, Scope.Scope>
  /** Lets the session of this key go: it is closed when nobody uses it any more, and the next one gets a new one. */
  readonly invalidate: (key: string) => Effect.Effect<void>
  /** The keys that have a session now. */
  readonly keys: Effect.Effect<ReadonlyArray<string>>
}

/** A session that can be handed from one scope to another. */
interface Ready {
  readonly session: Service
  readonly scope: Scope.CloseableScope
  isTaken: boolean
}

/**
 * The session of a key, from when it is asked for until it is let go. The map is by slot and not by key: it does not tell
 * an entry that was invalidated in use from the next one of the same key, and would let that one go in its place.
 */
interface Slot {
  readonly key: string
  /** How many use it. */
  users: number
  /** Whether it is there, and not only asked for. */
  isOpen: boolean
}

/**
 * Makes a pool. Its sessions are closed with its scope.
 *
 * @example
 * ```ts
 * import * as Session from "@claude-duplex/session/Session"
 * import * as SessionPool from "@claude-duplex/session/SessionPool"
 * import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const pool = yield* SessionPool.make({
 *     make: Session.make(),
 *     capacity: 8,
 *     prewarmed: 1
 *   })
 *   const ask = (conversation: string, prompt: string) =>
 *     Effect.scoped(Effect.flatMap(pool.get(conversation), (session) => session.send(prompt, { whenBusy: "queue" })))
 *   return yield* ask("conversation 1", "hello")
 * }).pipe(Effect.scoped, Effect.provide(NodeConnector.layer()))
 * ```
 */
export const make = <E, R, E2 = never>(
  { capacity, idleTimeToLive = "5 minutes", make, makeFor = () => Option.none(), prewarmed = 0 }: Options<E, R, E2>
): Effect.Effect<SessionPool<E | E2>, never, R | Scope.Scope> =>
  Effect.gen(function*() {
    const places = yield* Effect.makeSemaphore(capacity)
    const slots = new Map<string, Slot>()
    /** Those that nobody uses, in the order in which they were let go. */
    const idle = new Set<Slot>()
    let free = capacity
    let waiting = 0

    const open = Effect.gen(function*() {
      const scope = yield* Scope.make()
      const session = yield* Effect.onError(
        // The pool makes them where nothing can be interrupted, and a CLI may take its time to answer.
        Effect.interruptible(Scope.extend(make, scope)),
        (cause) => Scope.close(scope, Exit.failCause(cause))
      )
      const item: Ready = { session, scope, isTaken: false }
      return item
    })
    const ready = yield* Pool.make({
      acquire: Effect.acquireRelease(open, (item) => item.isTaken ? Effect.void : Scope.close(item.scope, Exit.void)),
      size: prewarmed
    })

    /** Takes one that was kept ready, and lets the pool make another. */
    const take: Effect.Effect<Service, E, Scope.Scope> = Effect.flatMap(Effect.scope, (owner) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function*() {
          // Effect's pool waits where it cannot be interrupted. What comes when nobody waits any more goes back at once.
          const item = yield* restore(Effect.disconnect(ready.get))
          const isAlive = (yield* item.session.status.get)._tag !== "Closed"
          if (isAlive) {
            item.isTaken = true
            yield* Scope.addFinalizerExit(owner, (exit) =>
              Scope.close(item.scope, exit))
          }
          yield* Pool.invalidate(ready, item)
          return isAlive ? Option.some(item.session) : Option.none()
        }).pipe(Effect.scoped)
      ).pipe(Effect.flatMap(Option.match({ onNone: () => take, onSome: Effect.succeed }))))

    /** It is nobody's any more: the next one who asks for its key gets another. */
    const forget = (slot: Slot) => {
      idle.delete(slot)
      if (slots.get(slot.key) === slot) {
        slots.delete(slot.key)
      }
    }

    const drop = (slot: Slot): Effect.Effect<void> =>
      Effect.suspend(() => {
        forget(slot)
        return RcMap.invalidate(sessions, slot)
      })

    /** Waits for a place, which is given back once: here, or when the scope closes. */
    const place: Effect.Effect<Effect.Effect<void>, never, Scope.Scope> = Effect.acquireRelease(
      Effect.suspend(() => {
        const oldest = free - waiting <= 0 ? idle.values().next() : undefined
        waiting++
        return Effect.zipRight(
          oldest === undefined || oldest.done === true ? Effect.void : drop(oldest.value),
          Effect.interruptible(places.take(1))
        ).pipe(
          Effect.map(() => {
            free--
            let isTaken = true
            return Effect.suspend(() => {
              if (!isTaken) {
                return Effect.void
              }
              isTaken = false
              free++
              return places.release(1)
            })
          }),
          Effect.ensuring(Effect.sync(() =>
            waiting--
          ))
        )
      }),
      (giveBack) => giveBack
    )

    const sessions: RcMap.RcMap<Slot, Service, E | E2> = yield* RcMap.make({
      lookup: (slot: Slot) =>
        Effect.gen(function*() {
          const giveBack = yield* place
          const session = yield* Option.getOrElse(makeFor(slot.key), () => prewarmed > 0 ? take : make)
          slot.isOpen = true
          yield* Effect.addFinalizer(() => Effect.sync(() => forget(slot)))
          // One that ended is nobody's any more, and takes no place although somebody may still hold it.
          yield* Effect.forkScoped(
            Effect.zipRight(session.awaitExit, Effect.zipRight(giveBack, drop(slot)))
          )
          return session
        }),
      idleTimeToLive
    })

    const letGo = (slot: Slot) =>
      Effect.suspend(() => {
        slot.users--
        if (slot.users > 0) return Effect.void
        // Nobody wants a session that is not there yet, and one that is idle makes room for somebody who waits.
        if (!slot.isOpen || waiting > 0) return drop(slot)
        if (slots.get(slot.key) === slot) idle.add(slot)
        return Effect.void
      })

    /** The session of this key; none if it has ended, or is about to. */
    const hold = (key: string): Effect.Effect<Option.Option<Service>, E | E2, Scope.Scope> =>
      Effect.gen(function*() {
        const slot = yield* Effect.acquireRelease(
          Effect.sync(() => {
            const slot = slots.get(key) ?? { key, users: 0, isOpen: false }
            slots.set(key, slot)
            idle.delete(slot)
            slot.users++
            return slot
          }),
          // Added first, so that it runs after the map has counted one less.
          letGo
        )
        const wasOpen = slot.isOpen
        const session = yield* Effect.tapErrorCause(RcMap.get(sessions, slot), () => drop(slot))
        const { _tag: status } = yield* session.status.get
        // One that was made just now and has ended tells why; another one would end too.
        if (!wasOpen || (status !== "Closed" && status !== "Closing")) return Option.some(session)
        yield* drop(slot)
        return Option.none()
      })

    const get = (key: string): Effect.Effect<Service, E | E2, Scope.Scope> =>
      Effect.gen(function*() {
        const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
        const held = yield* Effect.onError(
          Scope.extend(hold(key), scope),
          (cause) => Scope.close(scope, Exit.failCause(cause))
        )
        if (Option.isSome(held)) return held.value
        yield* Scope.close(scope, Exit.void)
        return yield* get(key)
      })

    return {
      get,
      invalidate: (key) =>
        Effect.suspend(() => {
          const slot = slots.get(key)
          return slot === undefined ? Effect.void : drop(slot)
        }),
      keys: Effect.map(RcMap.keys(sessions), (all) => all.map(({ key }) => key))
    }
  })

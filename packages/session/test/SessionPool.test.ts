import type * as Session from "@claude-duplex/session/Session"
import * as SessionPool from "@claude-duplex/session/SessionPool"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, Scope, TestClock } from "effect"
import { soon } from "./support/handmadeCli.js"
import { scripted } from "./support/sessions.js"

/** Sessions that are counted. */
const counted = Effect.sync(() => {
  const open = new Set<number>()
  let made = 0
  const make = Effect.gen(function*() {
    const number = ++made
    open.add(number)
    yield* Effect.addFinalizer(() => Effect.sync(() => open.delete(number)))
    return yield* scripted()
  })
  return { make, open: () => [...open], made: () => made }
})

/** Somebody who uses a session until told otherwise. */
const use = (pool: SessionPool.SessionPool<unknown>, key: string) =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    const session = yield* Scope.extend(pool.get(key), scope)
    return { session, letGo: Scope.close(scope, Exit.void) }
  })

describe("SessionPool", () => {
  it.scoped("has one session a key, shared by all who ask, and kept for a while", () =>
    Effect.gen(function*() {
      const sessions = yield* counted
      const pool = yield* SessionPool.make({ make: sessions.make, capacity: 4, idleTimeToLive: "1 minute" })
      const a = yield* use(pool, "a")
      const again = yield* use(pool, "a")
      const b = yield* use(pool, "b")
      assert.strictEqual(a.session, again.session)
      assert.notStrictEqual(a.session, b.session)
      assert.deepStrictEqual([...yield* pool.keys].sort(), ["a", "b"])
      yield* Effect.all([a.letGo, again.letGo, b.letGo])
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* use(pool, "a")).session, a.session)
      yield* TestClock.adjust("1 minute")
      // The one that is used stays.
      assert.deepStrictEqual(sessions.open(), [1])
    }))

  it.scoped("has no more than so many: the longest idle goes first, and who comes when all are used waits", () =>
    Effect.gen(function*() {
      const sessions = yield* counted
      const pool = yield* SessionPool.make({ make: sessions.make, capacity: 2 })
      const a = yield* use(pool, "a")
      const b = yield* use(pool, "b")
      yield* b.letGo
      yield* a.letGo
      const c = yield* use(pool, "c")
      assert.deepStrictEqual([...yield* pool.keys].sort(), ["a", "c"])
      const again = yield* use(pool, "a")
      assert.strictEqual(again.session, a.session)
      const waiting = yield* Effect.fork(use(pool, "d"))
      yield* TestClock.adjust("1 hour")
      assert.isTrue(Option.isNone(yield* Fiber.poll(waiting)))
      yield* c.letGo
      yield* Fiber.join(waiting)
      assert.deepStrictEqual([...yield* pool.keys].sort(), ["a", "d"])
      assert.strictEqual(sessions.open().length, 2)
    }))

  it.scoped("somebody who stops waiting takes no place", () =>
    Effect.gen(function*() {
      const sessions = yield* counted
      const pool = yield* SessionPool.make({ make: sessions.make, capacity: 1 })
      const a = yield* use(pool, "a")
      const waiting = yield* Effect.fork(Effect.scoped(pool.get("b")))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(waiting)
      yield* a.letGo
      yield* use(pool, "c")
      assert.deepStrictEqual([...yield* pool.keys], ["c"])
    }))

  it.scoped("keeps some ready, each for one conversation only", () =>
    Effect.gen(function*() {
      const sessions = yield* counted
      const pool = yield* SessionPool.make({
        make: sessions.make,
        capacity: 4,
        prewarmed: 2,
        idleTimeToLive: "1 minute"
      })
      yield* TestClock.adjust("1 second")
      assert.strictEqual(sessions.made(), 2)
      const a = yield* use(pool, "a")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(sessions.made(), 3)
      yield* a.letGo
      yield* TestClock.adjust("2 minutes")
      // What was said to it is nobody else's business: it is closed, not given back.
      assert.strictEqual(sessions.open().length, 2)
      const b = yield* use(pool, "b")
      assert.notStrictEqual(a.session, b.session)
    }))

  it.scoped("gives nobody a session that ended", () =>
    Effect.gen(function*() {
      const sessions = yield* counted
      const pool = yield* SessionPool.make({ make: sessions.make, capacity: 2, prewarmed: 1 })
      yield* TestClock.adjust("1 second")
      const a = yield* use(pool, "a")
      yield* a.session.close
      const again = yield* use(pool, "a")
      assert.notStrictEqual(a.session, again.session)
      assert.notStrictEqual((yield* again.session.status.get)._tag, "Closed")
    }))

  it.scoped("makes special ones for special keys, and one that fails is tried again", () =>
    Effect.gen(function*() {
      const sessions = yield* counted
      let failures = 0
      const pool = yield* SessionPool.make({
        make: sessions.make,
        makeFor: (key): Option.Option<Effect.Effect<Session.Service, string, Scope.Scope>> =>
          key === "bad" && failures === 0
            ? Option.some(Effect.suspend(() => {
              failures++
              return Effect.fail("no")
            }))
            : Option.none(),
        capacity: 1
      })
      assert.strictEqual(yield* Effect.flip(Effect.scoped(pool.get("bad"))), "no")
      yield* use(pool, "bad")
      assert.strictEqual(sessions.made(), 1)
    }))

  it.scoped("makes room for each who waits, although those who make it take their time to close", () =>
    Effect.gen(function*() {
      const slow = Effect.zipRight(Effect.addFinalizer(() => Effect.sleep("1 second")), scripted())
      const pool = yield* SessionPool.make({ make: slow, capacity: 2, idleTimeToLive: "1 hour" })
      yield* Effect.scoped(pool.get("a"))
      yield* Effect.scoped(pool.get("b"))
      const waiting = yield* Effect.forEach(["c", "d"], (key) => Effect.fork(use(pool, key)))
      yield* TestClock.adjust("2 seconds")
      yield* Effect.forEach(waiting, (fiber) => Effect.flatMap(soon(Fiber.join(fiber)), ({ letGo }) => letGo))
      // Closing takes time here.
      yield* Effect.addFinalizer(() => Effect.fork(TestClock.adjust("1 day")))
    }))

  it.scoped("a session that ended while it was used takes no place, and nothing from the next of its key", () =>
    Effect.gen(function*() {
      const sessions = yield* counted
      const pool = yield* SessionPool.make({ make: sessions.make, capacity: 1, idleTimeToLive: "1 minute" })
      const old = yield* use(pool, "a")
      yield* old.session.close
      const next = yield* soon(use(pool, "a"))
      assert.notStrictEqual(next.session, old.session)
      yield* old.letGo
      yield* TestClock.adjust("2 minutes")
      // The next one is still the key's, and closed when it has been idle, not when the old one would have been.
      assert.strictEqual((yield* soon(use(pool, "a"))).session, next.session)
      assert.deepStrictEqual(sessions.open(), [2])
    }))

  it.scoped("a session that is let go after another of its key has begun does not make that one seem in use", () =>
    Effect.gen(function*() {
      const pool = yield* SessionPool.make({ make: scripted(), capacity: 1, idleTimeToLive: "1 hour" })
      const old = yield* use(pool, "a")
      yield* old.session.close
      const next = yield* soon(use(pool, "a"))
      yield* next.letGo
      yield* old.letGo
      yield* soon(Effect.scoped(pool.get("b")))
      assert.deepStrictEqual([...yield* pool.keys], ["b"])
    }))

  it.scoped("one whose input was ended is given to nobody", () =>
    Effect.gen(function*() {
      const pool = yield* SessionPool.make({ make: scripted(), capacity: 2 })
      const a = yield* use(pool, "a")
      yield* a.session.endInput()
      assert.strictEqual((yield* a.session.status.get)._tag, "Closing")
      assert.notStrictEqual((yield* soon(use(pool, "a"))).session, a.session)
    }))

  it.effect("closes everything with its scope", () =>
    Effect.gen(function*() {
      const sessions = yield* counted
      yield* Effect.scoped(Effect.gen(function*() {
        const pool = yield* SessionPool.make({ make: sessions.make, capacity: 3, prewarmed: 1 })
        yield* pool.get("a")
        yield* pool.get("b")
      }))
      assert.isAbove(sessions.made(), 1)
      assert.deepStrictEqual(sessions.open(), [])
    }))

  it.live("whoever goes away while a session is being made need not wait for it", () =>
    Effect.gen(function*() {
      for (const prewarmed of [0, 1]) {
        const pool = yield* SessionPool.make({ make: Effect.never, capacity: 2, prewarmed })
        const waiting = yield* Effect.fork(Effect.scoped(pool.get("a")))
        yield* Effect.yieldNow()
        yield* soon(Fiber.interrupt(waiting))
      }
    }).pipe(Effect.scoped, soon))
})

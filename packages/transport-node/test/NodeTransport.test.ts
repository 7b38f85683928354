import type { TransportError } from "@claude-duplex/protocol/Transport"
import type { TransportExit } from "@claude-duplex/protocol/TransportExit"
import * as Session from "@claude-duplex/session/Session"
import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import * as NodeTransport from "@claude-duplex/transport-node/NodeTransport"
import { assert, describe, it } from "@effect/vitest"
import {
  Chunk,
  Deferred,
  Duration,
  Effect,
  Exit,
  Fiber,
  Logger,
  LogLevel,
  Option,
  Schedule,
  Scope,
  Stream,
  TestClock
} from "effect"
import { spawn } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { children, isAlive, openDescriptors } from "./support/processes.js"

const hostProgram = fileURLToPath(new URL("hosts/bundle/host.js", import.meta.url))

const support = (name: string) => fileURLToPath(new URL(`support/${name}`, import.meta.url))

/** A node process that runs this code. */
const node = (code: string, more: Partial<NodeTransport.Command> = {}) =>
  NodeTransport.fromCommand({ command: process.execPath, args: ["-e", code], env: {}, ...more })

const stubborn = (more: Partial<NodeTransport.Command> = {}) =>
  NodeTransport.fromCommand({ command: process.execPath, args: [support("stubborn.mjs")], env: {}, ...more })

const text = (stream: Stream.Stream<Uint8Array, TransportError>) =>
  stream.pipe(Stream.decodeText(), Stream.runFold("", (all, piece) => all + piece))

const firstLine = (stream: Stream.Stream<Uint8Array, TransportError>) =>
  stream.pipe(Stream.decodeText(), Stream.splitLines, Stream.take(1), Stream.runCollect, Effect.map(Chunk.unsafeHead))

/** Polls; the only way to see that a process is gone. Bounded, and in real time. */
const eventually = (condition: () => boolean) =>
  Effect.suspend(() => condition() ? Effect.void : Effect.fail("not yet")).pipe(
    Effect.retry(Schedule.spaced("10 millis")),
    Effect.timeout("1 minute")
  )

/** For a child that is ended by SIGKILL. */
const graces = { inputGrace: "100 millis", termGrace: "100 millis", drainGrace: "200 millis" } as const

/** For a child that is ended by SIGTERM, however long a busy machine takes to run it. */
const untilTerm = { inputGrace: "100 millis", termGrace: "1 minute" } as const

/** For a child that ends when its input does, however long a busy machine takes to run it. */
const untilInput = { inputGrace: "1 minute" } as const

describe("a child process", () => {
  it.live("gets lines, and gives bytes and an exit", () =>
    Effect.gen(function*() {
      const transport = yield* node(
        `process.stdin.on("data", (d) => process.stdout.write(d)).on("end", () => { process.stderr.write("bye"); process.exitCode = 7 })`
      )
      assert.isTrue(isAlive(transport.pid))
      yield* transport.send(`{"n":1}`)
      yield* transport.send(`{"n":"ß水"}`)
      yield* transport.endInput
      assert.strictEqual(yield* text(transport.incoming), `{"n":1}\n{"n":"ß水"}\n`)
      assert.deepStrictEqual(yield* transport.exit, { _tag: "Exited", code: 7, stderr: "bye" })
      assert.deepStrictEqual(yield* transport.exit, { _tag: "Exited", code: 7, stderr: "bye" })
    }).pipe(Effect.scoped))

  it.live("reports its exit after all of its output, read or not", () =>
    Effect.gen(function*() {
      const transport = yield* node(`process.stdout.write("x".repeat(60000)); process.stderr.write("e".repeat(100000))`)
      const exit = yield* transport.exit
      assert.strictEqual(exit.stderr, "e".repeat(64 * 1024))
      assert.strictEqual((yield* text(transport.incoming)).length, 60_000)
    }).pipe(Effect.scoped))

  it.live("is held back while nobody reads, and loses nothing", () =>
    Effect.gen(function*() {
      const piece = 100_000
      const pieces = 200
      const transport = yield* node(
        `let i = 0; const go = () => { while (i++ < ${pieces}) { process.stderr.write("."); if (!process.stdout.write("y".repeat(${piece}))) return process.stdout.once("drain", go) } process.exit() }; process.stdin.once("data", go)`
      )
      let written = 0
      const still = yield* transport.stderr.pipe(
        Stream.tap((dots) => Effect.sync(() => written += dots.length)),
        // No sign of progress for a while: it waits for us.
        Stream.debounce("300 millis"),
        Stream.runHead,
        Effect.fork
      )
      yield* Effect.yieldNow()
      yield* transport.send("go")
      yield* Fiber.join(still)
      // Our buffer and the pipe's, and what was on its way: far less than there is.
      assert.isBelow(written, 20)
      assert.strictEqual((yield* text(transport.incoming)).length, piece * pieces)
    }).pipe(Effect.scoped))

  it.live("offers stderr as a stream", () =>
    Effect.gen(function*() {
      const transport = yield* node(
        `process.stdin.on("data", (d) => process.stderr.write("heard " + d)).on("end", () => 0)`
      )
      const heard = yield* transport.stderr.pipe(Stream.take(1), Stream.runCollect, Effect.fork)
      // The subscription begins with the fiber; a line that it missed would be repeated.
      yield* transport.send("you").pipe(
        Effect.repeat(Schedule.spaced("50 millis")),
        Effect.raceFirst(Fiber.join(heard))
      )
      assert.include(Chunk.unsafeHead(yield* Fiber.join(heard)), "heard you")
    }).pipe(Effect.scoped))

  it.live("never gets two lines mixed up", () =>
    Effect.gen(function*() {
      const transport = yield* node(`process.stdin.pipe(process.stdout)`)
      const lines = Array.from({ length: 40 }, (_, i) => `${i}:`.padEnd(100_000, String(i % 10)))
      yield* Effect.forEach(lines, transport.send, { concurrency: "unbounded", discard: true }).pipe(
        Effect.zipRight(transport.endInput),
        Effect.fork
      )
      const received = (yield* text(transport.incoming)).trimEnd().split("\n")
      assert.deepStrictEqual([...received].sort(), [...lines].sort())
    }).pipe(Effect.scoped))
})

describe("a claude", () => {
  it.live("that is too old is warned about: in the log once, and to each who asks", () =>
    Effect.gen(function*() {
      const folder = mkdtempSync(join(tmpdir(), "claude-duplex-old-"))
      const executable = join(folder, "claude.mjs")
      writeFileSync(
        executable,
        `process.argv.includes("--version") ? console.log("1.0.3 (Claude Code)") : process.stdin.resume()`
      )
      const warnings: Array<string> = []
      const heard = yield* Deferred.make<void>()
      const logger = Logger.make(({ message }) => {
        warnings.push(String(message))
        if (String(message).includes("1.0.3")) Deferred.unsafeDone(heard, Effect.void)
      })
      const started = NodeTransport.make({ executable, cli: { permissionPromptTool: "stdio" } })
      yield* Effect.scoped(Effect.zipRight(started, Deferred.await(heard))).pipe(
        Effect.zipRight(Effect.scoped(Effect.flatMap(started, (claude) => Stream.runCollect(claude.warnings)))),
        Effect.tap((told) => assert.deepStrictEqual(Chunk.toReadonlyArray(told).map(({ kind }) => kind), ["OldCli"])),
        Effect.provide(Logger.replace(Logger.defaultLogger, logger))
      )
      rmSync(folder, { recursive: true })
      assert.strictEqual(warnings.filter((warning) => warning.includes("1.0.3")).length, 1)
    }))

  it.live("that was gone before its version was known is asked again, and nobody waits for ever", () =>
    Effect.gen(function*() {
      const folder = mkdtempSync(join(tmpdir(), "claude-duplex-old-"))
      const executable = join(folder, "claude.mjs")
      writeFileSync(
        executable,
        `process.argv.includes("--version") ? console.log("1.0.4 (Claude Code)") : process.stdin.resume()`
      )
      const started = NodeTransport.make({ executable, cli: { permissionPromptTool: "stdio" } })
      yield* Effect.scoped(started)
      const told = yield* Effect.scoped(Effect.flatMap(started, ({ warnings }) => Stream.runCollect(warnings))).pipe(
        Effect.timeout("1 minute")
      )
      rmSync(folder, { recursive: true })
      assert.deepStrictEqual(Chunk.toReadonlyArray(told).map(({ kind }) => kind), ["OldCli"])
    }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger))))

  it.live("that raw arguments let do whatever it likes is told about: to whoever subscribes to its session", () =>
    Effect.gen(function*() {
      const settings = JSON.stringify({ permissions: { defaultMode: "bypassPermissions" } })
      for (const extraArgs of [["--dangerously-skip-permissions"], ["--settings", settings]]) {
        const connector = yield* NodeConnector.make({
          executable: support("turning.mjs"),
          checkVersion: false,
          cli: { permissionPromptTool: "stdio", extraArgs },
          env: { ENDED_FILE: "/dev/null" }
        })
        const session = yield* Session.fromConnector(connector)
        const warned = yield* session.events.pipe(
          Stream.filterMap((event) => event._tag === "Warned" ? Option.some(event.warning.kind) : Option.none()),
          Stream.take(2),
          Stream.runCollect
        )
        assert.deepStrictEqual(Chunk.toReadonlyArray(warned), ["BypassInExtraArgs", "NobodyIsAsked"])
      }
    }).pipe(Effect.scoped, Logger.withMinimumLogLevel(LogLevel.None)))

  it.live("is not started with options that contradict each other", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Effect.scoped(NodeTransport.make({ cli: { resume: "a", continue: true } })))
      assert.strictEqual(error._tag, "CliOptionsError")
    }))
})

describe("failures", () => {
  const failure = (command: Partial<NodeTransport.Command>) =>
    NodeTransport.fromCommand({ command: process.execPath, args: [], env: {}, ...command }).pipe(
      Effect.scoped,
      Effect.flip
    )

  it.live("a missing executable", () =>
    Effect.gen(function*() {
      const error = yield* failure({ command: "/no/such/claude" })
      assert.strictEqual(error.reason, "NotFound")
      assert.include(error.message, "/no/such/claude")
    }))

  it.live("a file that is not executable", () =>
    Effect.gen(function*() {
      const folder = mkdtempSync(join(tmpdir(), "claude-duplex-"))
      const file = join(folder, "claude")
      writeFileSync(file, "not a program")
      chmodSync(file, 0o644)
      const error = yield* failure({ command: file })
      rmSync(folder, { recursive: true })
      assert.strictEqual(error.reason, "Spawn")
      assert.include(error.message, "chmod")
    }))

  it.live("a bad working directory", () =>
    Effect.gen(function*() {
      const error = yield* failure({ cwd: "/no/such/folder" })
      assert.strictEqual(error.reason, "Spawn")
      assert.include(error.message, "/no/such/folder")
    }))

  it.live("an argument that no system takes", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* failure({ args: ["a\0b"] })).reason, "Spawn")
      assert.strictEqual((yield* failure({ args: ["x".repeat(3_000_000)] })).reason, "Spawn")
    }))

  it.live("writing to a process that has ended, or does not read", () =>
    Effect.gen(function*() {
      const transport = yield* node(`process.stdin.destroy(); setTimeout(() => 0, 300)`)
      const error = yield* transport.send("x".repeat(1_000_000)).pipe(
        Effect.repeat(Schedule.spaced("5 millis")),
        Effect.flip
      )
      assert.strictEqual(error.reason, "Write")
      assert.deepInclude(yield* transport.exit, { _tag: "Exited", code: 0 })
      assert.strictEqual((yield* Effect.flip(transport.send("y"))).reason, "Write")
    }).pipe(Effect.scoped))

  it.live("a line that is on its way when the input ends has been sent", () =>
    Effect.gen(function*() {
      const transport = yield* node(
        `let n = 0; setTimeout(() => process.stdin.on("data", (d) => n += d.length).on("end", () => console.log(n)), 200)`
      )
      const sent = yield* Effect.fork(transport.send("x".repeat(2_000_000)))
      yield* Effect.yieldNow()
      yield* transport.endInput
      yield* Fiber.join(sent)
      assert.strictEqual(yield* text(transport.incoming), "2000001\n")
    }).pipe(Effect.scoped))

  it.live("a second consumer is told so", () =>
    Effect.gen(function*() {
      const transport = yield* node(`process.stdin.resume()`, graces)
      yield* Effect.fork(Stream.runDrain(transport.incoming))
      yield* Effect.yieldNow()
      const exit = yield* Effect.exit(Stream.runDrain(transport.incoming))
      assert.isTrue(Exit.isFailure(exit))
    }).pipe(Effect.scoped))

  it.live("an output that another fiber gave up can be read on", () =>
    Effect.gen(function*() {
      const transport = yield* node(
        `process.stdin.once("data", () => process.stdout.write("here", () => process.exit()))`
      )
      const first = yield* Effect.fork(Stream.runDrain(transport.incoming))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(first)
      const second = yield* Effect.fork(text(transport.incoming))
      yield* Effect.yieldNow()
      yield* transport.send("go")
      assert.strictEqual(yield* Fiber.join(second), "here")
    }).pipe(Effect.scoped))

  it.live("sending after the end of the input", () =>
    Effect.gen(function*() {
      const transport = yield* node(`process.stdin.resume()`)
      yield* transport.endInput
      yield* transport.endInput
      assert.strictEqual((yield* Effect.flip(transport.send("x"))).reason, "Closed")
    }).pipe(Effect.scoped))

  it.live("a child that never reads, while 100 MB are sent: held back, interruptible, ended", () =>
    Effect.gen(function*() {
      const transport = yield* Effect.gen(function*() {
        const transport = yield* node(`setInterval(() => 0, 1000)`, untilTerm)
        const sent: Array<number> = []
        const result = yield* Effect.forEach(
          Array.from({ length: 100 }, (_, i) => i),
          (i) => Effect.tap(transport.send("z".repeat(1_000_000)), () => Effect.sync(() => sent.push(i)))
        ).pipe(Effect.timeoutOption("300 millis"))
        assert.strictEqual(result._tag, "None")
        assert.isBelow(sent.length, 3)
        return transport
      }).pipe(Effect.scoped)
      assert.deepInclude(yield* transport.exit, { _tag: "Signaled", signal: "SIGTERM" })
    }))
})

describe("the end", () => {
  /** Runs the transport in a scope of its own, and gives its exit and how long the end took. */
  const ending = (make: Effect.Effect<NodeTransport.NodeTransport, TransportError, Scope.Scope>) =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const transport = yield* Scope.extend(make, scope)
      const start = Date.now()
      yield* Scope.close(scope, Exit.void)
      const millis = Date.now() - start
      assert.isFalse(isAlive(transport.pid))
      return { exit: yield* transport.exit, millis, pid: transport.pid }
    })

  it.live("by the end of the input, if that is enough (pain 23)", () =>
    Effect.gen(function*() {
      const { exit } = yield* ending(
        node(`process.stdin.resume().on("end", () => process.stderr.write("saved"))`, untilInput)
      )
      assert.deepStrictEqual<TransportExit>(exit, { _tag: "Exited", code: 0, stderr: "saved" })
    }))

  it.live("though nobody reads what it still has to say", () =>
    Effect.gen(function*() {
      const { exit } = yield* ending(Effect.tap(
        node(
          `process.stdin.resume(); process.stdout.write("z".repeat(5_000_000), () => process.stderr.write("saved")); process.stdin.on("end", () => 0)`,
          untilInput
        ),
        (transport) => Stream.runHead(transport.incoming)
      ))
      assert.deepStrictEqual<TransportExit>(exit, { _tag: "Exited", code: 0, stderr: "saved" })
    }))

  it.live("by SIGTERM, if it does not heed its input", () =>
    Effect.gen(function*() {
      const { exit } = yield* ending(Effect.tap(
        node(
          `process.stdout.write("1\\n"); process.on("SIGTERM", () => process.exit(143)); setInterval(() => 0, 1000)`,
          untilTerm
        ),
        (transport) => firstLine(transport.incoming)
      ))
      assert.deepStrictEqual(exit, { _tag: "Exited", code: 143, stderr: "" })
    }))

  it.live("by SIGKILL, if it heeds nothing (pain 20)", () =>
    Effect.gen(function*() {
      const { exit, millis } = yield* ending(Effect.tap(stubborn(graces), (transport) => firstLine(transport.incoming)))
      assert.deepStrictEqual(exit, { _tag: "Signaled", signal: "SIGKILL", stderr: "" })
      assert.isAtLeast(millis, 190)
    }))

  it.live("of a process that closed its output and stays", () =>
    Effect.gen(function*() {
      const { exit } = yield* ending(Effect.tap(
        node(`require("fs").closeSync(1); setInterval(() => 0, 1000)`, untilTerm),
        (transport) => Stream.runDrain(transport.incoming)
      ))
      assert.deepInclude(exit, { _tag: "Signaled", signal: "SIGTERM" })
    }))

  it.live("of a process killed from outside: told at once, to everybody who waits (pain 24)", () =>
    Effect.gen(function*() {
      const transport = yield* stubborn(graces)
      yield* firstLine(transport.incoming)
      const waiting = yield* Effect.forkAll([transport.exit, transport.exit])
      process.kill(transport.pid, "SIGKILL")
      for (const exit of yield* Fiber.join(waiting)) {
        assert.deepStrictEqual(exit, { _tag: "Signaled", signal: "SIGKILL", stderr: "" })
      }
    }).pipe(Effect.scoped))

  it.live("when the fiber that holds it is interrupted", () =>
    Effect.gen(function*() {
      const pid = yield* Deferred.make<number>()
      const fiber = yield* stubborn(graces).pipe(
        Effect.tap((transport) => Deferred.succeed(pid, transport.pid)),
        Effect.zipRight(Effect.never),
        Effect.scoped,
        Effect.fork
      )
      const child = yield* Deferred.await(pid)
      yield* Fiber.interrupt(fiber)
      assert.isFalse(isAlive(child))
    }))

  it.effect("under a test clock too: a process lives in real time", () =>
    Effect.gen(function*() {
      yield* TestClock.adjust("1 hour")
      const { exit } = yield* ending(stubborn(graces))
      assert.strictEqual(exit._tag, "Signaled")
    }))

  it.live("takes along what the process started, though it ended well itself (pain 22)", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const transport = yield* Scope.extend(
        node(
          `const c = require("child_process").spawn(process.execPath, ["-e", "process.on('SIGTERM', () => 0); console.log('up'); setInterval(() => 0, 1000)"], { stdio: ["ignore", "pipe", "ignore"] });` +
            `c.stdout.once("data", () => { console.log(c.pid); process.exit(0) })`,
          graces
        ),
        scope
      )
      const grandchild = Number(yield* firstLine(transport.incoming))
      assert.deepInclude(yield* transport.exit, { _tag: "Exited", code: 0 })
      assert.isTrue(isAlive(grandchild))
      yield* Scope.close(scope, Exit.void)
      yield* eventually(() => !isAlive(grandchild))
    }))

  it.live("is told although a grandchild holds the output open", () =>
    Effect.gen(function*() {
      const transport = yield* node(
        `const c = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"], { stdio: "inherit" });` +
          `c.once("spawn", () => process.stdout.write("last words", () => process.exit(5)))`,
        graces
      )
      const output = yield* Effect.fork(text(transport.incoming))
      assert.deepInclude(yield* transport.exit, { _tag: "Exited", code: 5 })
      assert.strictEqual(yield* Fiber.join(output), "last words")
    }).pipe(Effect.scoped))
})

describe.runIf(process.platform === "linux")("nothing is left behind (counted in /proc)", () => {
  it.live("by 200 starts and ends", () =>
    Effect.gen(function*() {
      const cycle = NodeTransport.fromCommand({ command: "cat", args: [], env: { PATH: process.env["PATH"] ?? "" } })
        .pipe(
          Effect.flatMap((transport) => Effect.zipRight(transport.send("hello"), Stream.runHead(transport.incoming))),
          Effect.scoped
        )
      yield* cycle
      const before = { children: children(), descriptors: openDescriptors(), listeners: process.listenerCount("exit") }
      yield* Effect.forEach(Array.from({ length: 200 }), () => cycle, { concurrency: 4, discard: true })
      yield* eventually(() => children().length === before.children.length)
      assert.deepStrictEqual(
        { children: children(), descriptors: openDescriptors(), listeners: process.listenerCount("exit") },
        before
      )
    }))

  for (
    const [name, way, signal, code] of [
      ["SIGTERM", "wait", "SIGTERM", null],
      ["SIGINT", "wait", "SIGINT", null],
      ["SIGHUP", "wait", "SIGHUP", null],
      ["SIGTERM, and a package that watches for the end", "signal-exit", "SIGTERM", null],
      ["a second SIGTERM, after one that was handled", "handled", "SIGTERM", null],
      ["process.exit", "exit", null, 3],
      ["an uncaught exception", "throw", null, 1],
      ["an unhandled rejection", "reject", null, 1]
    ] as const
  ) {
    it.live(`by a host that ends by ${name} (pain 22)`, () =>
      Effect.gen(function*() {
        const host = spawn(process.execPath, [hostProgram, way, support("stubborn.mjs")], {
          stdio: ["ignore", "pipe", "ignore"],
          env: { ...process.env, INPUT_GRACE: "100 millis" }
        })
        const pid = yield* Effect.async<number>((resume) => {
          host.stdout.once("data", (data) => resume(Effect.succeed(Number(String(data)))))
        })
        // One that ends by itself may have done so by now.
        if (signal !== null) assert.isTrue(isAlive(pid))
        const ended = Effect.async<{ code: number | null; signal: string | null }>((resume) => {
          host.once("exit", (code, signal) => resume(Effect.succeed({ code, signal })))
        })
        if (signal !== null) host.kill(signal)
        if (way === "handled") {
          // What it says when the first one has come.
          yield* Effect.async<void>((resume) => {
            host.stdout.once("data", () => resume(Effect.void))
          })
          host.kill("SIGTERM")
        }
        assert.deepStrictEqual(yield* Effect.timeout(ended, Duration.minutes(1)), { code, signal })
        yield* eventually(() => !isAlive(pid))
      }))
  }

  for (const way of ["wait", "once", "runMain"]) {
    it.live(`and nothing is cut short: a host that is told to end by SIGTERM (${way}) lets its child save (pain 23)`, () =>
      Effect.gen(function*() {
        const folder = mkdtempSync(join(tmpdir(), "claude-duplex-host-"))
        const saved = join(folder, "saved")
        const host = spawn(process.execPath, [hostProgram, way, support("saving.mjs"), saved], {
          stdio: ["ignore", "pipe", "inherit"],
          env: { ...process.env, INPUT_GRACE: "1 minute" }
        })
        const pid = yield* Effect.async<number>((resume) => {
          host.stdout.once("data", (data) => resume(Effect.succeed(Number(String(data)))))
        })
        const ended = Effect.async<void>((resume) => {
          host.once("exit", () => resume(Effect.void))
        })
        host.kill("SIGTERM")
        yield* Effect.timeout(ended, Duration.minutes(1))
        assert.isFalse(isAlive(pid))
        assert.strictEqual(readFileSync(saved, "utf8"), "by the end of the input")
        rmSync(folder, { recursive: true })
      }))
  }
})

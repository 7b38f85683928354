import { type Transport, TransportError } from "@claude-duplex/protocol/Transport"
import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import * as Recorder from "@claude-duplex/transport-mock/Recorder"
import * as Script from "@claude-duplex/transport-mock/Script"
import * as TransportSuite from "@claude-duplex/transport-mock/TransportSuite"
import * as TransportSuiteVitest from "@claude-duplex/transport-mock/TransportSuiteVitest"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Mailbox, type Scope, Stream } from "effect"

TransportSuiteVitest.run({ name: "in memory", make: (script) => MockTransport.make(Script.behaviour(script)) })

TransportSuiteVitest.run({
  name: "a recorder around one in memory",
  make: (script) =>
    Effect.flatMap(
      MockTransport.make(Script.behaviour(script)),
      (transport) => Recorder.wrap(transport, { sink: () => Effect.void })
    )
})

/** Makes a transport that breaks the contract in one way. */
const broken = (
  change: (transport: Transport) => Effect.Effect<Partial<Transport>, never, Scope.Scope>
): TransportSuite.Make =>
(script) =>
  Effect.gen(function*() {
    const transport = yield* MockTransport.make(Script.behaviour(script))
    return { ...transport, ...yield* change(transport) }
  })

const violations: Record<string, { readonly make: TransportSuite.Make; readonly breaks: ReadonlyArray<string> }> = {
  "keeps all that is sent": {
    make: broken((transport) =>
      Effect.gen(function*() {
        const lines = yield* Mailbox.make<string>()
        yield* Effect.forkScoped(Effect.forever(Effect.flatMap(lines.take, transport.send)))
        return { send: (line) => Effect.asVoid(lines.offer(line)) }
      })
    ),
    breaks: ["holds a sender back after a bounded amount, until the other end reads"]
  },
  "keeps all that is received": {
    make: broken((transport) =>
      Effect.map(
        Mailbox.fromStream(transport.incoming, { capacity: Infinity }),
        (output) => ({ incoming: Mailbox.toStream(output) })
      )
    ),
    breaks: ["holds the other end back while nobody reads its output, and loses nothing"]
  },
  "fails a send that waits when the input ends": {
    make: broken((transport) =>
      Effect.gen(function*() {
        const ended = yield* Deferred.make<never, TransportError>()
        const closed = new TransportError({ reason: "Closed", detail: "The input was ended." })
        return {
          send: (line) => Effect.raceFirst(transport.send(line), Deferred.await(ended)),
          endInput: Effect.zipRight(Deferred.fail(ended, closed), transport.endInput)
        }
      })
    ),
    breaks: ["writes what waits before the end of the input, and refuses what comes later"]
  },
  "writes what is left of a line": {
    make: broken((transport) =>
      Effect.map(Effect.scope, (scope) => ({
        send: (line) =>
          Effect.onInterrupt(
            transport.send(line),
            () => Effect.forkIn(Effect.ignore(transport.send(line.slice(0, 10))), scope)
          )
      }))
    ),
    breaks: ["writes a line whole or not at all when its send is interrupted while it waits"]
  },
  "checks nothing": {
    make: broken((transport) =>
      Effect.succeed({
        incoming: Stream.suspend(() => transport.incoming).pipe(Stream.catchAllCause(() => Stream.empty)),
        send: (line) => Effect.forEach(line.split("\n"), transport.send, { discard: true })
      })
    ),
    breaks: [
      "dies of a newline in a line, before a byte is written",
      "has one consumer: a second one dies, and takes nothing from the first"
    ]
  }
}

describe("a transport that breaks the contract", () => {
  for (const [what, { breaks, make }] of Object.entries(violations)) {
    const all = TransportSuite.cases(make)
    for (const name of breaks) {
      it.live(`because it ${what}, fails: ${name}`, () =>
        Effect.gen(function*() {
          const found = all.find((one) => one.name === name)
          assert.isDefined(found, "There is no such case.")
          const violation = yield* Effect.flip(found?.run ?? Effect.void)
          assert.propertyVal(violation, "_tag", "ContractViolation")
        }))
    }
  }
})

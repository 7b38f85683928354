/**
 * The contract of a `Transport` as test cases, for any test runner. Every transport of this project passes them; so should
 * yours. `TransportSuiteVitest` declares them as vitest tests.
 *
 * A transport is tested with something at its other end that plays a `Script`. In memory that is `MockTransport`; for a
 * transport to a process, `fake-claude` plays the script's JSON form (see {@link toJson}); for any other, run
 * `Script.behaviour` against a `Peer` of yours. A peer must read only so far ahead of its behaviour as `StdioPeer` does, and
 * its `write` must wait while the host does not read: else there is no back-pressure to be tested.
 *
 * No case depends on the speed of the machine. What a case waits for takes some milliseconds on an idle machine, and may take
 * a minute on a busy one.
 *
 * @since 0.1.0
 * @stability experimental
 */
import type { Transport } from "@claude-duplex/protocol/Transport"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { backPressure } from "./internal/suite/backPressure.js"
import { ContractViolation } from "./internal/suite/check.js"
import { delivery } from "./internal/suite/delivery.js"
import { ending } from "./internal/suite/ending.js"
import type * as Script from "./Script.js"

/** Makes a transport, with a CLI at its other end that plays the script. */
export type Make = (script: Script.Script) => Effect.Effect<Transport, unknown, Scope.Scope>

/** A transport under test. */
export interface Subject {
  readonly name: string
  readonly make: Make
}

/** A test case. */
export interface Case {
  readonly name: string
  /** Fails, and says why, if the transport does not keep this part of the contract. It runs in real time, whatever the clock. */
  readonly run: Effect.Effect<void, unknown>
}

/** How long a case may take before it counts as hanging, in seconds. */
const patience = 100

/**
 * A script as the JSON that `fake-claude --script` reads. All scripts of the suite have a JSON form.
 *
 * @example
 * ```ts
 * import * as Script from "@claude-duplex/transport-mock/Script"
 * import * as TransportSuite from "@claude-duplex/transport-mock/TransportSuite"
 *
 * TransportSuite.toJson(Script.make(Script.exit(0))) // [{"exit":0}]
 * ```
 */
export const toJson = (script: Script.Script): string => JSON.stringify(script.steps)

/**
 * The cases for transports that are made in this way.
 *
 * @example
 * ```ts
 * import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
 * import * as Script from "@claude-duplex/transport-mock/Script"
 * import * as TransportSuite from "@claude-duplex/transport-mock/TransportSuite"
 * import { Effect } from "effect"
 * import { test } from "node:test"
 *
 * for (const { name, run } of TransportSuite.cases((script) => MockTransport.make(Script.behaviour(script)))) {
 *   test(name, () => Effect.runPromise(run))
 * }
 * ```
 */
export const cases = (make: Make): ReadonlyArray<Case> =>
  [...delivery, ...backPressure, ...ending].map(({ name, test }) => ({
    name,
    run: Effect.scoped(test(make)).pipe(
      Effect.timeoutFail({
        duration: `${patience} seconds`,
        onTimeout: () => new ContractViolation({ message: `"${name}" did not end within ${patience} seconds.` })
      }),
      Effect.withClock(Clock.make())
    )
  }))

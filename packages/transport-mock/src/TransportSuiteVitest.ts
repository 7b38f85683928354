/**
 * The cases of `TransportSuite` as vitest tests. Needs `@effect/vitest`, which is an optional peer of this package; nothing else
 * here does.
 *
 * @since 0.1.0
 * @stability experimental
 */
import { describe, it } from "@effect/vitest"
import * as TransportSuite from "./TransportSuite.js"

/** Longer than a case may take, so that a case that hangs fails with its own message. */
const timeoutMillis = 110_000

/**
 * Declares the tests. Call it at the top level of a test file.
 *
 * @example
 * ```ts
 * import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
 * import * as Script from "@claude-duplex/transport-mock/Script"
 * import * as TransportSuiteVitest from "@claude-duplex/transport-mock/TransportSuiteVitest"
 *
 * TransportSuiteVitest.run({ name: "in memory", make: (script) => MockTransport.make(Script.behaviour(script)) })
 * ```
 */
export const run = ({ make, name }: TransportSuite.Subject): void => {
  describe(`Transport: ${name}`, () => {
    for (const { name, run } of TransportSuite.cases(make)) it.live(name, () => run, timeoutMillis)
  })
}

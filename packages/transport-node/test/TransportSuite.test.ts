/** The contract of transports, on a child process: `fake-claude` plays the other end. */
import type { Transport } from "@claude-duplex/protocol/Transport"
import * as TransportSuite from "@claude-duplex/transport-mock/TransportSuite"
import * as TransportSuiteVitest from "@claude-duplex/transport-mock/TransportSuiteVitest"
import * as NodeTransport from "@claude-duplex/transport-node/NodeTransport"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fakeClaude } from "./support/fakeClaude.js"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "claude-duplex-suite-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

TransportSuiteVitest.run({
  name: "a child process",
  make: (script) =>
    Effect.gen(function*() {
      const file = join(yield* folder, "script.json")
      writeFileSync(file, TransportSuite.toJson(script))
      const transport: Transport = yield* NodeTransport.make({
        executable: fakeClaude,
        cli: { permissionPromptTool: "stdio", extraArgs: [`--script=${file}`] },
        inputGrace: "2 seconds",
        termGrace: "2 seconds"
      })
      return transport
    })
})

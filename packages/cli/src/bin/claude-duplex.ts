/** `claude-duplex`: the tool as a process. What it can do is in `Cli`. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Cli from "../Cli.js"
import * as Output from "../Output.js"

NodeRuntime.runMain(
  Cli.run(process.argv.slice(2)).pipe(
    // Set, not called for: what is still being written is written.
    Effect.tap((code) => Effect.sync(() => process.exitCode = code)),
    Effect.provide(Layer.merge(Output.layer, NodeContext.layer))
  ),
  {
    disableErrorReporting: true,
    // `run` has told all errors; what is left is an interruption, by a signal.
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) ? Number(exit.value) : 130)
  }
)

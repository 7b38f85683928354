/** `claude-duplex`: the tool as a process. What it can do is in `Cli`. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { setFlagsFromString } from "node:v8"
import * as Cli from "../Cli.js"
import * as Output from "../Output.js"

/**
 * V8 watches how long objects live by the place in the code that makes them, and may make what it takes for long-lived among
 * the old objects, where it would keep texts alive long after they were read. That this is what happens is inferred; what
 * was measured is that of six runs of `check` on 1 GB four took a quarter longer, and 270 MB in place of 155, and none of
 * sixteen with this option.
 *
 * Here and nowhere else: it holds for the whole process, which is not for a library to decide. A V8 without this option
 * would say so on stderr, and go on.
 */
setFlagsFromString("--no-allocation-site-pretenuring")

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

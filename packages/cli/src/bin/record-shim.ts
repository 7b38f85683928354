/** What a stand-in for `claude` runs: see `record/Shim`. The real one is started before anything else is loaded. */
import { launch } from "../record/launch.js"
import type { Shim } from "../record/Shim.js"

export const run = async (shim: Shim): Promise<void> => {
  const launched = launch(shim.command, [...shim.args, ...process.argv.slice(2)])
  const { main } = await import("../record/main.js")
  main(launched, shim)
}

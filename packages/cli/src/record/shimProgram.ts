/** The program behind an executable that `Shim` wrote. Starts the real CLI before it loads anything else. */
import { launch } from "./launch.js"
import type { Shim } from "./Shim.js"

export const run = async (shim: Shim): Promise<void> => {
  const launched = launch(shim.command, [...shim.args, ...process.argv.slice(2)])
  const { main } = await import("./main.js")
  main(launched, shim)
}

// TypeScript 7 (native) with Effect's language service built in: one pass gives the types, the build and Effect's diagnostics.
// Takes the arguments of `tsc`. Which diagnostics fail the build is set in `tsconfig.base.json`.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

// The package's own `lib/getExePath` does not read its platform package in 0.45.0; its executable does.
const effectTsgo = fileURLToPath(new URL("../node_modules/.bin/effect-tsgo", import.meta.url))

const run = (command, args, options) => {
  const child = spawnSync(command, args, { encoding: "utf8", ...options })
  if (child.error) console.error(`Cannot start ${command}: ${child.error.message}`)
  if (child.status !== 0) {
    if (child.stderr) console.error(child.stderr)
    process.exit(child.status ?? 1)
  }
  return child.stdout
}

const compiler = run(effectTsgo, ["get-exe-path"], { shell: process.platform === "win32" }).trim()
run(compiler, process.argv.slice(2), { stdio: "inherit" })

// Runs a script of this workspace on a machine that may have nothing but Node and npm: brings the pinned pnpm, installs what
// the lockfile says, then runs the script with the arguments given.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const { packageManager } = JSON.parse(readFileSync(`${root}package.json`, "utf8"))
const [script, ...args] = process.argv.slice(2)

const pnpm = (...rest) => {
  const windows = process.platform === "win32"
  const { status, error } = spawnSync(
    windows ? "npm.cmd" : "npm",
    ["exec", "--yes", `--package=${packageManager}`, "--", "pnpm", ...rest],
    // npm is a batch file on Windows, which Node starts through a shell only.
    { cwd: root, stdio: "inherit", shell: windows }
  )
  if (error) {
    console.error(`npm could not be started: ${error.message}`)
    process.exit(1)
  }
  if (status !== 0) process.exit(status ?? 1)
}

pnpm("install", "--frozen-lockfile", "--reporter=append-only", "--loglevel=warn")
pnpm("--silent", "run", script, ...args)

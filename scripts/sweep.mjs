// Runs the tests that read `SWEEP`, with all of their cases in place of the sample that `npm test` tries. Prints each test as
// it ends.
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

const folders = [...readdirSync("packages").map((name) => `packages/${name}/test`), "reliability/test"]

const files = folders.flatMap((folder) => readdirSync(folder).map((file) => `${folder}/${file}`)).filter((path) =>
  path.endsWith(".test.ts") && /env\["SWEEP"\]|support\/sweep\.js/.test(readFileSync(path, "utf8"))
)

const { error, status } = spawnSync(
  "vitest",
  ["run", ...files, "--reporter=verbose", "--testTimeout=900000"],
  { stdio: "inherit", shell: process.platform === "win32", env: { ...process.env, SWEEP: "full" } }
)
if (error) console.error(`Cannot start vitest: ${error.message}`)
process.exitCode = status ?? 1

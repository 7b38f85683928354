// The Effect language service's diagnostics, for every project that has sources; warnings count.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { resolve } from "node:path"

const projects = [...readdirSync("packages").map((name) => `packages/${name}`), "examples"].filter((folder) =>
  existsSync(`${folder}/src`) && readdirSync(`${folder}/src`).length > 0
)

for (const project of projects) {
  const { status } = spawnSync(
    "effect-language-service",
    ["diagnostics", "--strict", "--format", "text", "--project", resolve(project, "tsconfig.json")],
    { stdio: "inherit", shell: process.platform === "win32" }
  )
  if (status !== 0) process.exit(status ?? 1)
}

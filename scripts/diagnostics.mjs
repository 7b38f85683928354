// The Effect language service's diagnostics, for every project that has sources; warnings count. As many at once as there
// are cores: each reads the packages below it anew.
import { spawn } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { availableParallelism } from "node:os"
import { resolve } from "node:path"

const projects = [...readdirSync("packages").map((name) => `packages/${name}`), "examples"].filter((folder) =>
  existsSync(`${folder}/src`) && readdirSync(`${folder}/src`).length > 0
)

const check = (project) =>
  new Promise((done) => {
    const child = spawn(
      "effect-language-service",
      ["diagnostics", "--strict", "--format", "text", "--project", resolve(project, "tsconfig.json")],
      { stdio: ["ignore", "pipe", "pipe"], shell: process.platform === "win32" }
    )
    let said = ""
    child.stdout.on("data", (bytes) => said += bytes)
    child.stderr.on("data", (bytes) => said += bytes)
    child.on("error", (error) => said += error.message)
    child.on("close", (code) => {
      console.log(`${project}\n${said}`)
      done(code === 0)
    })
  })

const waiting = projects.reverse()
const worker = async (isGood = true) => {
  const project = waiting.shift()
  return project === undefined ? isGood : worker(await check(project) && isGood)
}
const outcomes = await Promise.all(Array.from({ length: availableParallelism() }, () => worker()))
if (!outcomes.every(Boolean)) process.exit(1)

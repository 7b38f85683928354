/**
 * Real CLIs, each in a folder of its own below `e2e/.cli`: installed once, by npm, without running any of their scripts.
 * Nothing else in the workspace needs them.
 */
import { execFile } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const isWindows = process.platform === "win32"
const npm = isWindows ? "npm.cmd" : "npm"

const folder = (version: string) => fileURLToPath(new URL(`../.cli/${version}/`, import.meta.url))

/** The program: a binary of the platform's own in newer versions, a script for Node before. */
const candidates = (version: string): ReadonlyArray<string> => {
  const platforms = [`${process.platform}-${process.arch}`, `${process.platform}-${process.arch}-musl`]
  const packages = `${folder(version)}node_modules/@anthropic-ai/`
  return [
    ...platforms.map((platform) => `${packages}claude-code-${platform}/claude`),
    `${packages}claude-code/cli.js`
  ]
}

const installed = (version: string): string | undefined => candidates(version).find((path) => existsSync(path))

/** The version that is meant: a tag such as `latest` stands for one, and npm knows which. */
export const resolve = async (wanted: string): Promise<string> => {
  if (/^\d+\.\d+\.\d+/.test(wanted)) return wanted
  const { stdout } = await promisify(execFile)(
    npm,
    ["view", "--loglevel=error", `@anthropic-ai/claude-code@${wanted}`, "version"],
    { shell: isWindows }
  )
  const version = stdout.trim()
  if (version === "") throw new Error(`npm knows no claude ${wanted}`)
  return version
}

/** Where the CLI of this version is; installs it if it is not there. */
export const install = async (version: string): Promise<string> => {
  const known = installed(version)
  if (known !== undefined) return known
  mkdirSync(folder(version), { recursive: true })
  console.error(`Installing @anthropic-ai/claude-code@${version} (about 370 MB for newer versions)`)
  await promisify(execFile)(
    npm,
    [
      "install",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
      `--prefix=${folder(version)}`,
      `@anthropic-ai/claude-code@${version}`
    ],
    { cwd: folder(version), shell: isWindows }
  )
  const path = installed(version)
  if (path === undefined) {
    throw new Error(`npm installed claude ${version}, and there is no program in it for this system`)
  }
  return path
}

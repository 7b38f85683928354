/** What the measurements were made on. Nothing that names the machine or a place on it: the page is public. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { cpus } from "node:os"
import { isObject } from "./json.js"
import { recordedVersion } from "./recordings.js"

/** A machine, as far as it explains numbers. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly platform: string
  readonly node: string
  readonly effect: string
  readonly protocol: string
  /** The version of the CLI whose frames the corpus is made of. */
  readonly recordings: string
}

/** This machine. */
export const describe = (): Machine => {
  const cores = cpus()
  return {
    cpu: cores[0]?.model.trim() ?? "unknown",
    cores: cores.length,
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    effect: versionOf("effect"),
    protocol: versionOf("@claude-duplex/protocol"),
    recordings: recordedVersion
  }
}

const require = createRequire(import.meta.url)

const versionOf = (name: string): string => {
  const manifest: unknown = JSON.parse(readFileSync(require.resolve(`${name}/package.json`), "utf8"))
  return isObject(manifest) && typeof manifest["version"] === "string" ? manifest["version"] : "unknown"
}

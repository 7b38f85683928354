/**
 * The whole comparison: every root, both directions, less what is excused. Reads files, prints nothing.
 */
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { claimShape, unsupported } from "./claims.js"
import * as Evidence from "./evidence.js"
import type { Exception } from "./exceptions.js"
import type { Finding } from "./finding.js"
import { distinct, render } from "./finding.js"
import type * as OurSchemas from "./ourSchemas.js"
import * as Outcome from "./outcome.js"
import type { Root } from "./roots.js"
import * as SdkTypes from "./sdkTypes.js"
import type { Alternative, Shape } from "./shape.js"
import { compare } from "./walk.js"

export interface Input {
  readonly sdk: SdkTypes.SdkTypes
  readonly roots: ReadonlyArray<Root>
  readonly read: OurSchemas.ReadSchema
  readonly hostNodes: ReadonlySet<object>
  readonly recorded: ReadonlySet<string>
  readonly protocolNames: ReadonlyArray<RegExp>
  readonly exceptions: ReadonlyArray<Exception>
}

export interface Report {
  readonly findings: ReadonlyArray<Finding>
  /** How many object types of the SDK's were compared. */
  readonly types: number
  /** How many fields were compared, at every place where they occur. */
  readonly fields: number
}

export const run = (input: Input): Report => {
  const outcome = Outcome.empty()
  for (const root of input.roots) {
    const ours = byNameOnly(input.read(root.ast), new Set(root.byNameOnly))
    if (root.sdk === undefined) {
      for (const [key, claim] of claimShape(ours, root.ours)) outcome.claims.set(key, claim)
    } else {
      const place = { sdk: root.sdk, ours: root.ours, writer: root.writer, hostNodes: input.hostNodes }
      Outcome.merge(outcome, compare(input.sdk.shapeOf(root.sdk), ours, place))
    }
  }
  const unreached = input.sdk.names
    .filter((name) => input.protocolNames.some((pattern) => pattern.test(name)))
    .filter((name) => !input.sdk.isAmong(name, outcome.met))
    .map((name): Finding => ({ kind: "unreached-type", at: name, message: "in the SDK, not reached from any root" }))
  const all = distinct([...outcome.findings, ...unsupported(outcome, input.recorded), ...unreached])
  return { findings: excuse(all, input.exceptions), types: outcome.compared.size, fields: outcome.fields }
}

const excuse = (findings: ReadonlyArray<Finding>, exceptions: ReadonlyArray<Exception>): ReadonlyArray<Finding> => {
  const excused = new Set(exceptions.map(({ finding }) => finding))
  const found = new Set(findings.map(render))
  const unused = [...excused].filter((line) => !found.has(line))
    .map((line): Finding => ({ kind: "unused-exception", at: line, message: "(an exception that excuses nothing)" }))
  return [...findings.filter((finding) => !excused.has(render(finding))), ...unused]
}

/** The same struct with some fields opaque. Its fields keep their identity: they are claimed and vouched for as ever. */
const byNameOnly = (shape: Shape, names: ReadonlySet<string>): Shape => {
  if (names.size === 0) return shape
  return {
    alternatives: shape.alternatives.map((alternative): Alternative => {
      if (alternative.what._tag !== "Struct") return alternative
      const fields = [...alternative.what.fields].map(([name, field]) => {
        const opaque: Shape = { alternatives: [{ node: field, union: field, what: { _tag: "Any" } }] }
        return [name, names.has(name) ? { optional: field.optional, shape: () => opaque } : field] as const
      })
      return { ...alternative, what: { ...alternative.what, fields: new Map(fields) } }
    })
  }
}

const here = path.dirname(fileURLToPath(import.meta.url))
/** The folder of this package, from `src` and from `dist` alike. */
const home = path.dirname(here)

/** The installed SDK. Its main file stands beside the declarations; its `package.json` is not exported. */
export const installedSdk = (): { readonly version: string; readonly types: SdkTypes.SdkTypes } => {
  const folder = path.dirname(createRequire(import.meta.url).resolve("@anthropic-ai/claude-agent-sdk"))
  const manifest: unknown = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"))
  const version = typeof manifest === "object" && manifest !== null && "version" in manifest ? manifest.version : "?"
  return { version: String(version), types: SdkTypes.load(path.join(folder, "sdk.d.ts"), home) }
}

/** What occurs in the recordings of this repository. */
export const recordedHere = (read: OurSchemas.ReadSchema): ReadonlySet<string> =>
  Evidence.collect(path.join(path.dirname(home), "recordings"), read)

/** Every public schema of the package, found in the sources: a new schema cannot be forgotten. */
import { Schema } from "effect"
import { readdirSync } from "node:fs"

const folder = new URL("../../src/", import.meta.url)

/** Paths of the public modules below `src`, without extension. */
export const moduleNames = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts") && !file.startsWith("internal/"))
  .map((file) => file.slice(0, -3))
  .sort()

export interface PublicSchema {
  readonly name: string
  readonly schema: Schema.Schema<unknown>
}

/** Errors are classes of ours that never come over the wire; every other schema describes JSON on the wire. */
const isWireSchema = (value: unknown): value is Schema.Schema<unknown> =>
  Schema.isSchema(value) && value.ast._tag !== "Transformation"

export const publicSchemas: ReadonlyArray<PublicSchema> = (
  await Promise.all(moduleNames.map(async (module) => {
    const exported: Record<string, unknown> = await import(new URL(`${module}.ts`, folder).href)
    return Object.entries(exported).flatMap(([name, value]) =>
      isWireSchema(value) ? [{ name: `${module}.${name}`, schema: value }] : []
    )
  }))
).flat()

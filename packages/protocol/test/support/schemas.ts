/** Every public schema of the package, found by looking: a new one cannot be forgotten. */
import { Schema } from "effect"
import { readdirSync } from "node:fs"

const folder = new URL("../../src/", import.meta.url)

export const moduleNames = readdirSync(folder).filter((file) => file.endsWith(".ts")).map((file) => file.slice(0, -3))

export interface PublicSchema {
  readonly name: string
  readonly schema: Schema.Schema<unknown>
}

/** Errors are classes, made by us and never read from the wire; everything else is. */
const isWireSchema = (value: unknown): value is Schema.Schema<unknown> =>
  Schema.isSchema(value) && value.ast._tag !== "Transformation"

export const publicSchemas: ReadonlyArray<PublicSchema> = (
  await Promise.all(moduleNames.map(async (module) => {
    const exported: Record<string, unknown> = await import(`../../src/${module}.ts`)
    return Object.entries(exported).flatMap(([name, value]) =>
      isWireSchema(value) ? [{ name: `${module}.${name}`, schema: value }] : []
    )
  }))
).flat()

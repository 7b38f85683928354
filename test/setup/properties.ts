/**
 * Properties are tried with the same values in every run, so that a change is judged by what it changes. Other values:
 * `PROPERTY_SEED=5`, or `PROPERTY_SEED=random`; a property that fails prints its own. `pnpm fuzz` is the place to look for new
 * ones.
 */
import * as fc from "effect/FastCheck"

const wanted = process.env["PROPERTY_SEED"] ?? "20260"
fc.configureGlobal(wanted === "random" ? {} : { seed: Number(wanted) })

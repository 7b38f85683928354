/** The programs in `examples/`, and what they print. Each is run once, however many tests look. */
import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { root } from "./markdown.js"

/** Programs; one that exports something is a module, and has a test of its own. What is in folders is part of one. */
export const programs: ReadonlyArray<string> = readdirSync(new URL("examples/src/", root))
  .filter((file) => file.endsWith(".ts"))
  .filter((file) => !/^export /m.test(readFileSync(new URL(`examples/src/${file}`, root), "utf8")))
  .map((file) => file.replace(/\.ts$/, ""))

const execute = async (program: string): Promise<string> => {
  const file = fileURLToPath(new URL(`examples/bundle/${program}.js`, root))
  return (await promisify(execFile)(process.execPath, [file], { encoding: "utf8", timeout: 120_000 })).stdout
}

const printed = new Map<string, Promise<string>>()

/** What a program prints; fails if it does. */
export const output = (program: string): Promise<string> => {
  const known = printed.get(program) ?? execute(program)
  printed.set(program, known)
  return known
}

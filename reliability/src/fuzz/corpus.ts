/**
 * Inputs that once failed, or that are worth trying every time: `corpus/`, always run first. Files are bytes as a CLI writes
 * them. Where one has the string `$hostile7`, it means the text number 7 of `hostile.ts`, from 0: some of those are large.
 */
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Hostile from "./hostile.js"

// From `src` as from `dist`: both lie two levels below the package.
const folder = new URL("../../corpus/", import.meta.url)

/** An input that is kept. */
export interface Kept {
  readonly name: string
  readonly bytes: Uint8Array
}

/** All that are kept. */
export const all = (): ReadonlyArray<Kept> =>
  readdirSync(folder).filter((name) => name.endsWith(".ndjson")).sort().map((name) => ({
    name,
    bytes: unfolded(readFileSync(new URL(name, folder)))
  }))

/** Keeps one that failed, and says where. */
export const keep = (bytes: Uint8Array): string => {
  const name = `found-${createHash("sha256").update(bytes).digest("hex").slice(0, 12)}.ndjson`
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL(name, folder), folded(bytes))
  return `reliability/corpus/${name}`
}

/** Bytes are bytes, whether they are text or not. */
const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1")

/** Only what is too large to be looked at is folded. */
const large = Array.from({ length: Hostile.count }, (_, i) => i).filter((i) => Hostile.text(i).length > 1_000)

/** With hostile texts as what stands for them. */
export const folded = (bytes: Uint8Array): Uint8Array =>
  Buffer.from(large.reduce((text, i) => text.replaceAll(Hostile.text(i), `"$hostile${i}"`), asText(bytes)), "latin1")

/** The other way. */
export const unfolded = (bytes: Uint8Array): Uint8Array =>
  Buffer.from(asText(bytes).replaceAll(/"\$hostile(\d+)"/g, (_, index) => Hostile.text(Number(index))), "latin1")

/** The fewest of its lines that still fail. */
export const smallest = (bytes: Uint8Array, fails: (bytes: Uint8Array) => boolean): Uint8Array => {
  let lines = asText(bytes).split("\n")
  for (let size = Math.ceil(lines.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < lines.length && lines.length > 1;) {
      const fewer = [...lines.slice(0, at), ...lines.slice(at + size)]
      if (fewer.length > 0 && fails(Buffer.from(fewer.join("\n"), "latin1"))) lines = fewer
      else at += size
    }
  }
  return Buffer.from(lines.join("\n"), "latin1")
}

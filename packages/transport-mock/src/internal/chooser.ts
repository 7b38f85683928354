import type * as Fault from "../Fault.js"
import { matchesLine } from "./matching.js"

/** Decides which whole lines a fault is about; asked about each once and in order. */
export const chooser = (where: Fault.Where): (line: number, bytes: Uint8Array) => boolean => {
  if ("line" in where) return (line) => line === where.line
  let seen = 0
  return (_, bytes) => {
    if (!matchesLine(where.match, new TextDecoder().decode(bytes))) return false
    const nth = seen++
    return where.nth === undefined || where.nth === nth
  }
}

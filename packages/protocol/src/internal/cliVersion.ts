/**
 * What a CLI can do by its version, where it does not say so itself. Each line was tried on real CLIs; those of the 1.0 line
 * do not tell their version, and count as older than any.
 */
import { type HostSubtype, requests } from "../schema/HostRequest.js"

/** Every queued message has a turn of its own up to 2.1.50; later ones merge them (2.1.143). */
export const mergesQueued = (version: string | undefined): boolean => isAfter(version, [2, 1, 50])

/** 2.1.250 and later report how far each message has come (`command_lifecycle`); 2.1.143 does not. */
export const reportsLifecycle = (version: string | undefined): boolean => isAfter(version, [2, 1, 249])

/** A `control_cancel_request` **ends** CLIs up to 2.1.40, with exit code 1; 2.1.50 takes it. */
export const takesCancel = (version: string | undefined): boolean => isAfter(version, [2, 1, 49])

/** The versions that were tried before requests were refused. CLIs of the 1.0 line report no version: they count as the last of it. */
const tried = (version: string | undefined): readonly [number, number, number] => {
  if (version !== undefined && !isAfter(version, [1, 0, 60])) return [1, 0, 60]
  return isAfter(version, [2, 0, 0]) ? [2, 0, 76] : [1, 0, 128]
}

/**
 * Whether a request is answered at all. CLIs from 2.1.50 on refuse what they do not know; 2.0.76 and older do not respond. Between
 * two versions that were tried, a CLI counts as the newer one.
 */
export const answers = (version: string | undefined, subtype: HostSubtype): boolean => {
  if (isAfter(version, [2, 1, 40])) return true
  const { since } = requests[subtype]
  return since !== undefined && !isAfter(since, tried(version))
}

/** The code of a refusal: CLIs before 2.1.326 say in words only that they do not know a request. */
export const refusalCode = (code: string | undefined, words: string): string | undefined =>
  code ?? (words.startsWith("Unsupported control request subtype") ? "unsupported_request" : undefined)

const isAfter = (version: string | undefined, limit: readonly [number, number, number]): boolean => {
  const numbers = /^(\d+)\.(\d+)\.(\d+)/.exec(version ?? "")?.slice(1).map(Number)
  if (numbers === undefined) return false
  for (let i = 0; i < limit.length; i++) {
    const difference = (numbers[i] ?? 0) - (limit[i] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return false
}

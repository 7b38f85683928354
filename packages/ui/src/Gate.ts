/**
 * Who may come in: whoever knows the token, from a page of ours, by an address of this machine. Owns the decision and the
 * headers that keep the page to itself; knows nothing of what is behind it.
 *
 * The token is the first part of every path, so that whatever the page loads by a relative address has it too, and nothing
 * needs a cookie, which other programs on other ports of the same host would be sent.
 *
 * @since 0.1.0
 * @stability experimental
 */
import { randomBytes, timingSafeEqual } from "node:crypto"

/** What is looked at of a request. */
export interface Visitor {
  readonly path: string
  readonly host: string | undefined
  readonly origin: string | undefined
  /** Whether it wants a WebSocket: a browser lets any page ask for one. */
  readonly isUpgrade: boolean
}

/** The path behind the token, or why nobody comes in. */
export type Verdict =
  | { readonly _tag: "Welcome"; readonly path: string }
  | { readonly _tag: "Refused"; readonly reason: "Token" | "Host" | "Origin" }

/**
 * A token that nobody guesses.
 *
 * @example
 * ```ts
 * import * as Gate from "@claude-duplex/ui/Gate"
 *
 * const url = `http://127.0.0.1:8080/${Gate.makeToken()}/`
 * ```
 */
export const makeToken = (): string => randomBytes(32).toString("base64url")

/**
 * Decides. A name that leads to this machine by somebody else's DNS is refused, as is a page of another origin; a program
 * that is no browser has no origin, and may ask for anything but a WebSocket.
 *
 * @example
 * ```ts
 * import * as Gate from "@claude-duplex/ui/Gate"
 *
 * const gate = Gate.make({ port: 8080, token: "secret" })
 * gate({ path: "/secret/", host: "127.0.0.1:8080", origin: undefined, isUpgrade: false }) // Welcome, to "/"
 * gate({ path: "/", host: "127.0.0.1:8080", origin: undefined, isUpgrade: false }) // Refused: Token
 * ```
 */
export const make = ({ port, token }: { readonly port: number; readonly token: string }) => {
  const hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`])
  return ({ host, isUpgrade, origin, path }: Visitor): Verdict => {
    if (host === undefined || !hosts.has(host)) return { _tag: "Refused", reason: "Host" }
    // Before the token, so that a foreign page does not learn whether it has guessed it.
    const isOurs = origin === undefined ? !isUpgrade : origin === `http://${host}`
    if (!isOurs) return { _tag: "Refused", reason: "Origin" }
    const [, first = "", ...rest] = path.split("/")
    if (!isEqual(first, token) || rest.length === 0) return { _tag: "Refused", reason: "Token" }
    return { _tag: "Welcome", path: `/${rest.join("/")}` }
  }
}

/** Takes the same time wherever the two differ. */
const isEqual = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/**
 * What every answer says: scripts and styles of ours only, no connections but to here, in no frame, kept nowhere, and the
 * address with its token told to nobody.
 *
 * @example
 * ```ts
 * import * as Gate from "@claude-duplex/ui/Gate"
 *
 * Gate.headers(8080)["content-security-policy"]
 * ```
 */
export const headers = (port: number): Record<string, string> => ({
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ws://127.0.0.1:${port} ws://localhost:${port}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'"
  ].join("; "),
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
})

/** The recorded conversations in the repository, by their names: `2.1.326/plain`. */
import * as Recording from "@claude-duplex/transport-mock/Recording"
import type * as Replay from "@claude-duplex/transport-mock/Replay"
import { Either } from "effect"
import { readdirSync, readFileSync } from "node:fs"

// From `src` as from `dist`: both lie one level below the package.
const folder = new URL("../../../recordings/", import.meta.url)

/** All of them, in an order that is the same everywhere. */
export const names: ReadonlyArray<string> = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name: version }) =>
    readdirSync(new URL(`${version}/`, folder))
      .filter((file) => file.endsWith(".jsonl"))
      .map((file) => `${version}/${file.replace(".jsonl", "")}`)
  )
  .sort()

/** One of them. */
export const read = (name: string): Recording.Recording =>
  Either.getOrThrow(Recording.parse(readFileSync(new URL(`${name}.jsonl`, folder), "utf8")))

/** Where one of them is: for a `fake-claude`. */
export const pathOf = (name: string): URL => new URL(`${name}.jsonl`, folder)

/** How a recorded CLI ended, where it was not with code 0 at the end of its input. */
export const exits: Record<string, Pick<Replay.Options, "exit" | "exitAfter">> = {
  "2.1.326/api-400": { exit: { _tag: "Exited", code: 1 } },
  "2.1.326/max-turns": { exit: { _tag: "Exited", code: 1 } },
  "2.1.326/perm-interrupt": { exit: { _tag: "Exited", code: 1 } },
  "2.1.326/perm-pending-interrupt": { exit: { _tag: "Exited", code: 1 } },
  // These ended by themselves, or by a signal, with their input open.
  "2.1.326/api-401": { exit: { _tag: "Signaled", signal: "SIGKILL" }, exitAfter: "LastEntry" },
  "2.1.326/bad-flag": { exit: { _tag: "Exited", code: 1 }, exitAfter: "LastEntry" },
  "2.1.326/bad-user-in": { exit: { _tag: "Exited", code: 1 }, exitAfter: "LastEntry" },
  "2.1.326/kill-midturn": { exit: { _tag: "Exited", code: 143 }, exitAfter: "LastEntry" },
  "2.1.326/malformed-in": { exit: { _tag: "Exited", code: 1 }, exitAfter: "LastEntry" }
}

/** Recordings of hosts that did something in a way in which a session does not do it. */
export const differently = new Set([
  // A session's errors have a text of its own.
  "2.1.326/perm-error",
  // A session always sends the input with an allow: older CLIs need it.
  "2.1.326/permission-noinit-allow-noupdated"
])

/** The recorded host closed its end while the turn ran. Entries do not show it. */
export const endsInputInTurn = new Set(["2.1.326/eof-midturn"])

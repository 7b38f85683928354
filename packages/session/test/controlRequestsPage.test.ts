/**
 * `docs/guide/control-requests.md` is derived from the table of control requests, `HostRequest.requests`. When that changes,
 * `pnpm unit -u controlRequestsPage` writes the page.
 */
import * as HostRequest from "@claude-duplex/protocol/schema/HostRequest"
import * as Control from "@claude-duplex/session/Control"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { expect } from "vitest"

/** The doc comment of each row of the table. */
const source = readFileSync(new URL("../../protocol/src/schema/HostRequest.ts", import.meta.url), "utf8")
const descriptionOf = (subtype: string): string => {
  const description = new RegExp(`^  /\\*\\* (.*) \\*/\\n  ${subtype}: \\{`, "m").exec(source)?.[1]
  if (description === undefined) throw new Error(`The row ${subtype} of \`requests\` has no doc comment`)
  return description.replace(/`Session\.(\w+)`/g, "[`Session.$1`](../api/session/Session.md)")
}

/** The name of the method for each subtype, found by calling every method. */
const methods: Record<string, string> = {
  initialize: "`Session.reinitialize`",
  interrupt: "`Session.interrupt`"
}
let called = ""
const control = Control.make((request) => {
  called = request.subtype
  return Effect.never
})
for (const [name, method] of Object.entries(control)) {
  // Only the subtype matters here, so no payload is given.
  ;(method as () => unknown)()
  methods[called] = `\`${name}\``
}

it("the page of control requests has every row of the table", async () => {
  const rows = [
    ["method", "request", "since", "description"],
    ...Object.entries(HostRequest.requests).map(([subtype, { since }]) => [
      methods[subtype] ?? "",
      `\`${subtype}\``,
      since ?? "none",
      descriptionOf(subtype)
    ])
  ]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>, fill = " ") =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(" | ")} |`
  const [head = [], ...body] = rows
  const page = [
    "# Control requests",
    "",
    "Each request is a method of `session.control`: its argument is the payload as on the wire, and its response has the type of the",
    "request. `since` is the first version, of the versions that were tried, that carries the request out. This page is made from",
    "[`HostRequest.requests`](../api/protocol/schema/HostRequest.md#requests); [control.md](control.md) explains how to use it.",
    "",
    line(head),
    line(["", "", "", ""], "-"),
    ...body.map((row) => line(row)),
    ""
  ].join("\n")
  await expect(page).toMatchFileSnapshot("../../../docs/guide/control-requests.md")
})

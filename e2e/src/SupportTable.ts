/** What a run over all CLIs came to, as a page. */
import { type Support, supportOf } from "./Versions.js"

/** The tests of one CLI. */
export interface Run {
  readonly version: string
  readonly seconds: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly tests: ReadonlyArray<{ readonly title: string; readonly status: string }>
}

/** What is told of each CLI, and how it is read off the table. */
export const rows: ReadonlyArray<readonly [what: string, has: (support: Support) => boolean]> = [
  ["turns, permissions, interrupt, end of input", () => true],
  ["`stream_event` (`--include-partial-messages`)", ({ partialMessages }) => partialMessages],
  ["echoes messages (`--replay-user-messages`)", ({ echoes }) => echoes],
  ["messages of several blocks: text and images", ({ severalBlocks }) => severalBlocks],
  ["`initialize`: hooks, MCP servers in the host", ({ initialize }) => initialize],
  ["`initialize`: prompts, agents, JSON schema", ({ initializePayloads }) => initializePayloads],
  ["says how far a message has come (`command_lifecycle`)", ({ lifecycle }) => lifecycle],
  ["names the messages of a turn in its result", ({ messageUuids }) => messageUuids],
  ["merges messages that were queued into one turn", ({ mergesQueued }) => mergesQueued],
  ["suggests permission rules, and takes new ones with an answer", ({ permissionUpdates }) => permissionUpdates],
  ["takes a permission question back when it is interrupted", ({ withdraws }) => withdraws],
  ["ends its tools when it is ended", ({ endsTools }) => endsTools],
  ["tells of a task's end when it was told to stop it", ({ tellsStops }) => tellsStops],
  ["settings by `--settings`", ({ settingsFlag }) => settingsFlag],
  ["subagents by `--agents`", ({ agentsFlag }) => agentsFlag],
  ["says which subagent asks for a permission", ({ agentIds }) => agentIds],
  ["subagents in the background, and what they say forwarded", ({ backgroundAgents }) => backgroundAgents],
  ["`AskUserQuestion`, `EnterPlanMode`, plans in files", ({ asksUser }) => asksUser],
  ["leaves plan mode when a plan is approved", ({ approvalEndsPlan }) => approvalEndsPlan],
  ["lists tools of the host's again when they have changed", ({ hearsToolChanges }) => hearsToolChanges],
  ["hands on what MCP servers ask the user (`elicitation`)", ({ elicits }) => elicits],
  ["a hook may ask where a rule would allow", ({ hooksOutrankRules }) => hooksOutrankRules],
  ["a hook may change a tool's input", ({ hooksChangeInput }) => hooksChangeInput],
  ["a hook may change a tool's output", ({ hooksChangeOutput }) => hooksChangeOutput],
  ["a hook may say that its failure blocks", ({ hooksBlockOnFailure }) => hooksBlockOnFailure],
  ["heeds the time that a hook may take", ({ initialize, lateHooks }) => initialize && lateHooks !== "waits"],
  ["a tool whose hook took too long does not run", ({ lateHooks }) => lateHooks === "blocks"],
  ["calls nobody but the API that it was told of", ({ callsHome }) => !callsHome],
  ["tells its version", ({ tellsVersion }) => tellsVersion],
  [
    "refuses requests that it does not know (others never answer; the session refuses for them)",
    ({ refusesUnknown }) => refusesUnknown
  ]
]

/** The page. */
export const toMarkdown = (runs: ReadonlyArray<Run>): string => {
  const supports = runs.map(({ version }) => supportOf(version))
  const line = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`
  const requests = [...new Set(supports.flatMap((support) => [...support.requests]))].sort()
  const events = [...new Set(supports.flatMap((support) => [...support.hookEvents]))].toSorted()
  const table = (names: ReadonlyArray<string>, has: (support: Support, name: string) => boolean) => [
    line(["", ...runs.map(({ version }) => version)]),
    line(["---", ...runs.map(() => ":-:")]),
    ...names.map((name) => line([`\`${name}\``, ...supports.map((support) => has(support, name) ? "✓" : "–")]))
  ]
  return [
    "# What each CLI can do",
    "",
    "Made by `pnpm e2e --matrix`, which tries every line on the real CLI: one that can do more or less than it says here fails.",
    "",
    line(["", ...runs.map(({ version }) => version)]),
    line(["---", ...runs.map(() => ":-:")]),
    ...rows.map(([what, has]) => line([what, ...supports.map((support) => has(support) ? "✓" : "–")])),
    line(["tests passed", ...runs.map(({ passed }) => String(passed))]),
    "",
    "## Control requests",
    "",
    "A request that is not there fails with a `ControlError` whose `isUnsupported` is true, on every version.",
    "",
    ...table(
      ["interrupt", ...requests],
      (support, name) => name === "interrupt" || [...support.requests].some((request) => request === name)
    ),
    "",
    "## Hooks of the host's",
    "",
    "Events that a hook was called for, of all that could be provoked offline.",
    "",
    ...table(events, (support, name) => [...support.hookEvents].some((event) => event === name)),
    ""
  ].join("\n")
}

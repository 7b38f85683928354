/**
 * The CLIs that are tried, and what each can do: the one place that says so. Everything here was measured by the tests of
 * this folder, and is measured again by each run: a CLI that can do more or less than it says here fails them.
 */
import type { HookEvent } from "@claude-duplex/protocol/schema/HookCallback"
import { type HostSubtype, requests } from "@claude-duplex/protocol/schema/HostRequest"
import { Struct } from "effect"

/** What a CLI can do. */
export interface Support {
  readonly version: string
  /** Sends `stream_event` frames: the flag exists. */
  readonly partialMessages: boolean
  /** Echoes messages: `--replay-user-messages` exists. */
  readonly echoes: boolean
  /** Takes messages of several blocks; else it exits, and says why. */
  readonly severalBlocks: boolean
  /** Takes `initialize`, and with it hooks and MCP servers that live in the host. */
  readonly initialize: boolean
  /** Takes system prompts, agents and JSON schemas in `initialize`. */
  readonly initializePayloads: boolean
  /** Says how far each message has come: `command_lifecycle`. */
  readonly lifecycle: boolean
  /** Names the messages of a turn in its result. */
  readonly messageUuids: boolean
  /** Merges messages that were queued into one turn. */
  readonly mergesQueued: boolean
  /** Takes a permission without `updatedInput`. Ours always has one. */
  readonly bareAllow: boolean
  /** How it refuses a request that it does not know: with an error, or never. */
  readonly refusesUnknown: boolean
  /** What it is when it says nothing of itself. */
  readonly tellsVersion: boolean
  /** Suggests changes to its rules with a permission question, and takes those that come back with the answer. */
  readonly permissionUpdates: boolean
  /** Takes a permission question back when its turn is interrupted, and lets a denial interrupt. Else it waits for the answer. */
  readonly withdraws: boolean
  /** Ends the tools that run when it is ended itself. Else they run on, each in a session of its own. */
  readonly endsTools: boolean
  /** Says that a task in the background is over which it was told to stop. */
  readonly tellsStops: boolean
  /** Takes settings by `--settings`. */
  readonly settingsFlag: boolean
  /** Takes subagents by `--agents`. */
  readonly agentsFlag: boolean
  /** Says in a permission question which subagent asks. */
  readonly agentIds: boolean
  /** Runs subagents in the background unless told otherwise, and forwards what they say if it is told to. */
  readonly backgroundAgents: boolean
  /** Has tools that need a person: `AskUserQuestion`, `EnterPlanMode`; and keeps plans in files. */
  readonly asksUser: boolean
  /** Leaves plan mode when a plan is approved. Else only if the approval says so. */
  readonly approvalEndsPlan: boolean
  /** Events that hooks of the host's are called for, of those that can be provoked offline. */
  readonly hookEvents: ReadonlySet<HookEvent>
  /** A hook may have a question put that a rule would answer. */
  readonly hooksOutrankRules: boolean
  /** A hook may change what a tool runs with. */
  readonly hooksChangeInput: boolean
  /** A hook may change what the model is given of a tool's output. */
  readonly hooksChangeOutput: boolean
  /** A hook may say that its failure blocks: `hook_on_failure_supported`. */
  readonly hooksBlockOnFailure: boolean
  /** What it does when the time of a hook is over that comes before a tool: runs the tool, or not; or it heeds no time. */
  readonly lateHooks: "goes on" | "blocks" | "waits"
  /** Lists the tools of a server in the host again when that says that they have changed. */
  readonly hearsToolChanges: boolean
  /** Hands on what MCP servers ask the user. */
  readonly elicits: boolean
  /** Calls `api.anthropic.com`, whatever it is told of nonessential traffic and of another address. Here it does not get there. */
  readonly callsHome: boolean
  /** Requests that it carries out, beside `interrupt`. */
  readonly requests: ReadonlySet<HostSubtype>
}

/** The requests that a version carries out, by the table of the protocol: the tests here try each of them. */
const requestsIn = (version: string): ReadonlySet<HostSubtype> =>
  new Set(
    Struct.keys(requests).filter((subtype) => {
      const { since } = requests[subtype]
      return subtype !== "interrupt" && since !== undefined && compare(since, version) <= 0
    })
  )

const compare = (a: string, b: string): number => a.localeCompare(b, "en", { numeric: true })

/** The newest first. `set_color` is in the SDK's types, and no CLI has it. */
export const versions: ReadonlyArray<Support> = [
  {
    version: "2.1.326",
    partialMessages: true,
    echoes: true,
    severalBlocks: true,
    initialize: true,
    initializePayloads: true,
    lifecycle: true,
    messageUuids: true,
    mergesQueued: true,
    bareAllow: true,
    refusesUnknown: true,
    tellsVersion: true,
    permissionUpdates: true,
    withdraws: true,
    endsTools: true,
    tellsStops: true,
    settingsFlag: true,
    agentsFlag: true,
    agentIds: true,
    backgroundAgents: true,
    asksUser: true,
    approvalEndsPlan: true,
    hookEvents: new Set([
      "Elicitation",
      "ElicitationResult",
      "InstructionsLoaded",
      "MessageDisplay",
      "Notification",
      "PermissionRequest",
      "PostCompact",
      "PostModelSwitch",
      "PostToolBatch",
      "PostToolUse",
      "PostToolUseFailure",
      "PreCompact",
      "PreModelSwitch",
      "PreToolUse",
      "SessionEnd",
      "SessionStart",
      "Stop",
      "StopFailure",
      "SubagentStart",
      "SubagentStop",
      "UserPromptExpansion",
      "UserPromptSubmit",
      "WorktreeCreate"
    ]),
    hooksOutrankRules: true,
    hooksChangeInput: true,
    hooksChangeOutput: true,
    hooksBlockOnFailure: true,
    lateHooks: "blocks",
    hearsToolChanges: true,
    elicits: true,
    callsHome: false,
    requests: requestsIn("2.1.326")
  },
  {
    version: "2.1.250",
    partialMessages: true,
    echoes: true,
    severalBlocks: true,
    initialize: true,
    initializePayloads: true,
    lifecycle: true,
    messageUuids: false,
    mergesQueued: true,
    bareAllow: true,
    refusesUnknown: true,
    tellsVersion: true,
    permissionUpdates: true,
    withdraws: true,
    endsTools: true,
    tellsStops: true,
    settingsFlag: true,
    agentsFlag: true,
    agentIds: true,
    backgroundAgents: true,
    asksUser: true,
    approvalEndsPlan: true,
    hookEvents: new Set([
      "Elicitation",
      "ElicitationResult",
      "InstructionsLoaded",
      "MessageDisplay",
      "Notification",
      "PermissionRequest",
      "PostCompact",
      "PostToolBatch",
      "PostToolUse",
      "PostToolUseFailure",
      "PreCompact",
      "PreToolUse",
      "SessionEnd",
      "SessionStart",
      "Stop",
      "StopFailure",
      "SubagentStart",
      "SubagentStop",
      "UserPromptExpansion",
      "UserPromptSubmit",
      "WorktreeCreate"
    ]),
    hooksOutrankRules: true,
    hooksChangeInput: true,
    hooksChangeOutput: true,
    hooksBlockOnFailure: false,
    lateHooks: "blocks",
    hearsToolChanges: false,
    elicits: true,
    callsHome: false,
    requests: requestsIn("2.1.250")
  },
  {
    version: "2.1.143",
    partialMessages: true,
    echoes: true,
    severalBlocks: true,
    initialize: true,
    initializePayloads: true,
    lifecycle: false,
    messageUuids: false,
    mergesQueued: true,
    bareAllow: false,
    refusesUnknown: true,
    tellsVersion: true,
    permissionUpdates: true,
    withdraws: true,
    endsTools: false,
    tellsStops: true,
    settingsFlag: true,
    agentsFlag: true,
    agentIds: true,
    backgroundAgents: false,
    asksUser: true,
    approvalEndsPlan: true,
    hookEvents: new Set([
      "Elicitation",
      "ElicitationResult",
      "InstructionsLoaded",
      "Notification",
      "PermissionRequest",
      "PostCompact",
      "PostToolBatch",
      "PostToolUse",
      "PostToolUseFailure",
      "PreCompact",
      "PreToolUse",
      "SessionEnd",
      "SessionStart",
      "Stop",
      "StopFailure",
      "SubagentStart",
      "SubagentStop",
      "TaskCompleted",
      "TaskCreated",
      "UserPromptExpansion",
      "UserPromptSubmit",
      "WorktreeCreate"
    ]),
    hooksOutrankRules: true,
    hooksChangeInput: true,
    hooksChangeOutput: true,
    hooksBlockOnFailure: false,
    lateHooks: "goes on",
    hearsToolChanges: false,
    elicits: true,
    callsHome: false,
    requests: requestsIn("2.1.143")
  },
  {
    version: "2.1.50",
    partialMessages: true,
    echoes: true,
    severalBlocks: true,
    initialize: true,
    initializePayloads: true,
    lifecycle: false,
    messageUuids: false,
    mergesQueued: false,
    bareAllow: false,
    refusesUnknown: true,
    tellsVersion: true,
    permissionUpdates: true,
    withdraws: true,
    endsTools: false,
    tellsStops: false,
    settingsFlag: true,
    agentsFlag: true,
    agentIds: true,
    backgroundAgents: false,
    asksUser: true,
    approvalEndsPlan: true,
    hookEvents: new Set([
      "PermissionRequest",
      "PostToolUse",
      "PostToolUseFailure",
      "PreCompact",
      "PreToolUse",
      "SessionStart",
      "Stop",
      "SubagentStart",
      "SubagentStop",
      "TaskCompleted",
      "UserPromptSubmit"
    ]),
    hooksOutrankRules: false,
    hooksChangeInput: true,
    hooksChangeOutput: false,
    hooksBlockOnFailure: false,
    lateHooks: "goes on",
    hearsToolChanges: false,
    elicits: false,
    callsHome: true,
    requests: requestsIn("2.1.50")
  },
  {
    version: "2.0.76",
    partialMessages: true,
    echoes: true,
    severalBlocks: true,
    initialize: true,
    initializePayloads: true,
    lifecycle: false,
    messageUuids: false,
    mergesQueued: false,
    bareAllow: false,
    refusesUnknown: false,
    tellsVersion: true,
    permissionUpdates: true,
    withdraws: true,
    endsTools: false,
    tellsStops: false,
    settingsFlag: true,
    agentsFlag: true,
    agentIds: true,
    backgroundAgents: false,
    asksUser: true,
    approvalEndsPlan: false,
    hookEvents: new Set([
      "PostToolUse",
      "PostToolUseFailure",
      "PreCompact",
      "PreToolUse",
      "SessionStart",
      "Stop",
      "SubagentStart",
      "SubagentStop",
      "UserPromptSubmit"
    ]),
    hooksOutrankRules: false,
    hooksChangeInput: true,
    hooksChangeOutput: false,
    hooksBlockOnFailure: false,
    lateHooks: "goes on",
    hearsToolChanges: false,
    elicits: false,
    callsHome: true,
    requests: requestsIn("2.0.76")
  },
  {
    version: "2.0.0",
    partialMessages: true,
    echoes: true,
    severalBlocks: true,
    initialize: true,
    initializePayloads: false,
    lifecycle: false,
    messageUuids: false,
    mergesQueued: false,
    bareAllow: false,
    refusesUnknown: false,
    tellsVersion: false,
    permissionUpdates: true,
    withdraws: true,
    endsTools: false,
    tellsStops: false,
    settingsFlag: true,
    agentsFlag: true,
    agentIds: false,
    backgroundAgents: false,
    asksUser: false,
    approvalEndsPlan: false,
    hookEvents: new Set(["PostToolUse", "PreToolUse", "SessionStart", "Stop", "SubagentStop", "UserPromptSubmit"]),
    hooksOutrankRules: false,
    hooksChangeInput: false,
    hooksChangeOutput: false,
    hooksBlockOnFailure: false,
    lateHooks: "waits",
    hearsToolChanges: false,
    elicits: false,
    callsHome: true,
    requests: requestsIn("2.0.0")
  },
  {
    version: "1.0.128",
    partialMessages: true,
    echoes: true,
    severalBlocks: true,
    initialize: true,
    initializePayloads: false,
    lifecycle: false,
    messageUuids: false,
    mergesQueued: false,
    bareAllow: false,
    refusesUnknown: false,
    tellsVersion: false,
    permissionUpdates: true,
    withdraws: true,
    endsTools: false,
    tellsStops: false,
    settingsFlag: true,
    agentsFlag: true,
    agentIds: false,
    backgroundAgents: false,
    asksUser: false,
    approvalEndsPlan: false,
    hookEvents: new Set(["PostToolUse", "PreToolUse", "SessionStart", "Stop", "SubagentStop", "UserPromptSubmit"]),
    hooksOutrankRules: false,
    hooksChangeInput: false,
    hooksChangeOutput: false,
    hooksBlockOnFailure: false,
    lateHooks: "waits",
    hearsToolChanges: false,
    elicits: false,
    callsHome: true,
    requests: requestsIn("1.0.128")
  },
  {
    version: "1.0.60",
    partialMessages: false,
    echoes: false,
    severalBlocks: false,
    initialize: false,
    initializePayloads: false,
    lifecycle: false,
    messageUuids: false,
    mergesQueued: false,
    bareAllow: false,
    refusesUnknown: false,
    tellsVersion: false,
    permissionUpdates: false,
    withdraws: false,
    endsTools: false,
    tellsStops: false,
    settingsFlag: false,
    agentsFlag: false,
    agentIds: false,
    backgroundAgents: false,
    asksUser: false,
    approvalEndsPlan: false,
    hookEvents: new Set([]),
    hooksOutrankRules: false,
    hooksChangeInput: false,
    hooksChangeOutput: false,
    hooksBlockOnFailure: false,
    lateHooks: "waits",
    hearsToolChanges: false,
    elicits: false,
    callsHome: false,
    requests: requestsIn("1.0.60")
  }
]

/** What a CLI of this version can do; a version that is not listed is taken for the newest. */
export const supportOf = (version: string): Support => {
  const [newest] = versions
  if (newest === undefined) throw new Error("There are no versions")
  return versions.find((support) => support.version === version) ?? { ...newest, version }
}

// Made from `e2e/src/Versions.ts` by `test/support.test.ts`, which compares the two. Do not edit.

/** A CLI that was tried. */
export interface Tried {
  readonly version: string
  /** What it cannot do. */
  readonly lacks: ReadonlyArray<string>
}

/** Every CLI that was tried, the newest first. */
export const tried: ReadonlyArray<Tried> = [
  {
    version: "2.1.326",
    lacks: []
  },
  {
    version: "2.1.250",
    lacks: [
      "names the messages of a turn in its result",
      "lists tools of the host's again when they have changed",
      "a hook may say that its failure blocks"
    ]
  },
  {
    version: "2.1.143",
    lacks: [
      "says how far a message has come (`command_lifecycle`)",
      "names the messages of a turn in its result",
      "ends its tools when it is ended",
      "subagents in the background, and what they say forwarded",
      "lists tools of the host's again when they have changed",
      "a hook may say that its failure blocks",
      "a tool whose hook took too long does not run"
    ]
  },
  {
    version: "2.1.50",
    lacks: [
      "says how far a message has come (`command_lifecycle`)",
      "names the messages of a turn in its result",
      "merges messages that were queued into one turn",
      "ends its tools when it is ended",
      "tells of a task's end when it was told to stop it",
      "subagents in the background, and what they say forwarded",
      "lists tools of the host's again when they have changed",
      "hands on what MCP servers ask the user (`elicitation`)",
      "a hook may ask where a rule would allow",
      "a hook may change a tool's output",
      "a hook may say that its failure blocks",
      "a tool whose hook took too long does not run",
      "calls nobody but the API that it was told of"
    ]
  },
  {
    version: "2.0.76",
    lacks: [
      "says how far a message has come (`command_lifecycle`)",
      "names the messages of a turn in its result",
      "merges messages that were queued into one turn",
      "ends its tools when it is ended",
      "tells of a task's end when it was told to stop it",
      "subagents in the background, and what they say forwarded",
      "leaves plan mode when a plan is approved",
      "lists tools of the host's again when they have changed",
      "hands on what MCP servers ask the user (`elicitation`)",
      "a hook may ask where a rule would allow",
      "a hook may change a tool's output",
      "a hook may say that its failure blocks",
      "a tool whose hook took too long does not run",
      "calls nobody but the API that it was told of",
      "refuses requests that it does not know (others never answer; the session refuses for them)"
    ]
  },
  {
    version: "2.0.0",
    lacks: [
      "`initialize`: prompts, agents, JSON schema",
      "says how far a message has come (`command_lifecycle`)",
      "names the messages of a turn in its result",
      "merges messages that were queued into one turn",
      "ends its tools when it is ended",
      "tells of a task's end when it was told to stop it",
      "says which subagent asks for a permission",
      "subagents in the background, and what they say forwarded",
      "`AskUserQuestion`, `EnterPlanMode`, plans in files",
      "leaves plan mode when a plan is approved",
      "lists tools of the host's again when they have changed",
      "hands on what MCP servers ask the user (`elicitation`)",
      "a hook may ask where a rule would allow",
      "a hook may change a tool's input",
      "a hook may change a tool's output",
      "a hook may say that its failure blocks",
      "heeds the time that a hook may take",
      "a tool whose hook took too long does not run",
      "calls nobody but the API that it was told of",
      "tells its version",
      "refuses requests that it does not know (others never answer; the session refuses for them)"
    ]
  },
  {
    version: "1.0.128",
    lacks: [
      "`initialize`: prompts, agents, JSON schema",
      "says how far a message has come (`command_lifecycle`)",
      "names the messages of a turn in its result",
      "merges messages that were queued into one turn",
      "ends its tools when it is ended",
      "tells of a task's end when it was told to stop it",
      "says which subagent asks for a permission",
      "subagents in the background, and what they say forwarded",
      "`AskUserQuestion`, `EnterPlanMode`, plans in files",
      "leaves plan mode when a plan is approved",
      "lists tools of the host's again when they have changed",
      "hands on what MCP servers ask the user (`elicitation`)",
      "a hook may ask where a rule would allow",
      "a hook may change a tool's input",
      "a hook may change a tool's output",
      "a hook may say that its failure blocks",
      "heeds the time that a hook may take",
      "a tool whose hook took too long does not run",
      "calls nobody but the API that it was told of",
      "tells its version",
      "refuses requests that it does not know (others never answer; the session refuses for them)"
    ]
  },
  {
    version: "1.0.60",
    lacks: [
      "`stream_event` (`--include-partial-messages`)",
      "echoes messages (`--replay-user-messages`)",
      "messages of several blocks: text and images",
      "`initialize`: hooks, MCP servers in the host",
      "`initialize`: prompts, agents, JSON schema",
      "says how far a message has come (`command_lifecycle`)",
      "names the messages of a turn in its result",
      "merges messages that were queued into one turn",
      "suggests permission rules, and takes new ones with an answer",
      "takes a permission question back when it is interrupted",
      "ends its tools when it is ended",
      "tells of a task's end when it was told to stop it",
      "settings by `--settings`",
      "subagents by `--agents`",
      "says which subagent asks for a permission",
      "subagents in the background, and what they say forwarded",
      "`AskUserQuestion`, `EnterPlanMode`, plans in files",
      "leaves plan mode when a plan is approved",
      "lists tools of the host's again when they have changed",
      "hands on what MCP servers ask the user (`elicitation`)",
      "a hook may ask where a rule would allow",
      "a hook may change a tool's input",
      "a hook may change a tool's output",
      "a hook may say that its failure blocks",
      "heeds the time that a hook may take",
      "a tool whose hook took too long does not run",
      "tells its version",
      "refuses requests that it does not know (others never answer; the session refuses for them)"
    ]
  }
]

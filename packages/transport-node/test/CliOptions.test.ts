import { PermissionMode } from "@claude-duplex/protocol/schema/PermissionRequest"
import * as CliOptions from "@claude-duplex/transport-node/CliOptions"
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc, Schema } from "effect"
import { execFileSync } from "node:child_process"

type Options = CliOptions.CliOptions

const always = ["--print", "--verbose", "--input-format=stream-json", "--output-format=stream-json"]
const replay = "--replay-user-messages"
const uuid = "11111111-2222-4333-8444-555555555555"
const reviewer = { description: "Reviews", prompt: "You review." }

const argv = (options: Options): ReadonlyArray<string> =>
  Either.getOrThrowWith(CliOptions.toArgv(options), (error) => error)

const refused = (options: Options): CliOptions.CliOptionsError =>
  Either.match(CliOptions.toArgv(options), {
    onLeft: (error) => error,
    onRight: (argv) => assert.fail(`not refused: ${argv.join(" ")}`)
  })

/** The arguments that are there because of these options. */
const own = (options: Options) => argv({ replayUserMessages: false, ...options }).slice(always.length)

/** One or more for each option: an option without one does not compile. `with` is what the option cannot do without. */
const goldens: {
  readonly [K in keyof Options]-?: ReadonlyArray<
    { readonly is: Exclude<Options[K], undefined>; readonly gives: ReadonlyArray<string>; readonly with?: Options }
  >
} = {
  model: [{ is: "opus", gives: ["--model=opus"] }],
  fallbackModel: [{ is: "sonnet", gives: ["--fallback-model=sonnet"] }],
  effort: [{ is: "xhigh", gives: ["--effort=xhigh"] }],
  thinking: [{ is: "disabled", gives: ["--thinking=disabled"] }],
  maxThinkingTokens: [
    { is: 4000, gives: ["--max-thinking-tokens=4000"] },
    { is: 0, gives: ["--max-thinking-tokens=0"] }
  ],
  systemPrompt: [
    { is: "Be brief.", gives: ["--system-prompt=Be brief."] },
    { is: "", gives: ["--system-prompt="] }
  ],
  appendSystemPrompt: [{ is: "And\nkind.", gives: ["--append-system-prompt=And\nkind."] }],
  jsonSchema: [{ is: { type: "object" }, gives: ["--json-schema={\"type\":\"object\"}"] }],
  resume: [{ is: uuid, gives: [`--resume=${uuid}`] }],
  continue: [{ is: true, gives: ["--continue"] }, { is: false, gives: [] }],
  forkSession: [
    { is: true, gives: ["--continue", "--fork-session"], with: { continue: true } },
    { is: false, gives: [] }
  ],
  sessionId: [
    { is: uuid, gives: [`--session-id=${uuid}`] },
    {
      is: uuid,
      gives: ["--resume=x", "--fork-session", `--session-id=${uuid}`],
      with: { resume: "x", forkSession: true }
    }
  ],
  resumeSessionAt: [{ is: uuid, gives: ["--resume=x", `--resume-session-at=${uuid}`], with: { resume: "x" } }],
  noSessionPersistence: [{ is: true, gives: ["--no-session-persistence"] }, { is: false, gives: [] }],
  worktree: [
    { is: true, gives: ["--worktree"] },
    { is: "agent-xyz", gives: ["--worktree=agent-xyz"] },
    { is: "-x", gives: ["--worktree=-x"] }
  ],
  agent: [{ is: "reviewer", gives: ["--agent=reviewer"] }],
  agents: [
    {
      is: { reviewer },
      gives: ["--agents={\"reviewer\":{\"description\":\"Reviews\",\"prompt\":\"You review.\"}}"]
    },
    {
      is: { reviewer },
      gives: ["--agent=reviewer", "--agents={\"reviewer\":{\"description\":\"Reviews\",\"prompt\":\"You review.\"}}"],
      with: { agent: "reviewer" }
    }
  ],
  plugins: [{ is: ["a", "b c,d"], gives: ["--plugin-dir=a", "--plugin-dir=b c,d"] }, { is: [], gives: [] }],
  permissionMode: PermissionMode.literals.map((mode) => ({ is: mode, gives: [`--permission-mode=${mode}`] })),
  permissionPromptTool: [{ is: "stdio", gives: ["--permission-prompt-tool=stdio"] }],
  dangerouslySkipPermissions: [
    { is: true, gives: ["--dangerously-skip-permissions"] },
    { is: false, gives: [] }
  ],
  allowDangerouslySkipPermissions: [
    { is: true, gives: ["--allow-dangerously-skip-permissions"] },
    { is: false, gives: [] }
  ],
  allowedTools: [
    { is: ["Bash(git log:*)", "Edit"], gives: ["--allowedTools=Bash(git log:*)", "--allowedTools=Edit"] },
    { is: [], gives: [] }
  ],
  disallowedTools: [{ is: ["Bash", "-x"], gives: ["--disallowedTools=Bash", "--disallowedTools=-x"] }],
  tools: [
    { is: ["Bash", "Read"], gives: ["--tools=Bash", "--tools=Read"] },
    { is: [], gives: ["--tools="] },
    { is: "default", gives: ["--tools=default"] }
  ],
  addDirs: [{ is: ["/a b", "-c"], gives: ["--add-dir=/a b", "--add-dir=-c"] }],
  mcpServers: [{
    is: { files: { command: "files", args: ["-v"] } },
    gives: ["--mcp-config={\"mcpServers\":{\"files\":{\"command\":\"files\",\"args\":[\"-v\"]}}}"]
  }],
  mcpConfig: [{ is: ["a.json", "b.json"], gives: ["--mcp-config=a.json", "--mcp-config=b.json"] }],
  strictMcpConfig: [{ is: true, gives: ["--strict-mcp-config"] }, { is: false, gives: [] }],
  settings: [
    { is: "/etc/settings.json", gives: ["--settings=/etc/settings.json"] },
    { is: { env: { A: "b" } }, gives: ["--settings={\"env\":{\"A\":\"b\"}}"] }
  ],
  settingSources: [
    { is: ["user", "local"], gives: ["--setting-sources=user,local"] },
    { is: [], gives: ["--setting-sources="] }
  ],
  betas: [{ is: ["a-1", "b-2"], gives: ["--betas=a-1", "--betas=b-2"] }],
  maxTurns: [{ is: 3, gives: ["--max-turns=3"] }],
  maxBudgetUsd: [{ is: 0.5, gives: ["--max-budget-usd=0.5"] }],
  includePartialMessages: [{ is: true, gives: ["--include-partial-messages"] }, { is: false, gives: [] }],
  includeHookEvents: [{ is: true, gives: ["--include-hook-events"] }, { is: false, gives: [] }],
  forwardSubagentText: [{ is: true, gives: ["--forward-subagent-text"] }, { is: false, gives: [] }],
  debug: [
    { is: true, gives: ["--debug"] },
    { is: "!hooks", gives: ["--debug=!hooks"] },
    { is: false, gives: [] }
  ],
  debugFile: [{ is: "/tmp/log", gives: ["--debug-file=/tmp/log"] }],
  awaitInitialize: [{ is: true, gives: ["--await-initialize"] }, { is: false, gives: [] }],
  replayUserMessages: [{ is: true, gives: [replay] }, { is: false, gives: [] }],
  extraArgs: [{ is: ["--bare", "-n", "", "x y"], gives: ["--bare", "-n", "", "x y"] }]
}

describe("toArgv", () => {
  for (const [name, cases] of Object.entries(goldens)) {
    it(name, () => {
      for (const { gives, is, ...rest } of cases) {
        assert.deepStrictEqual(own({ ...rest.with, [name]: is }), gives)
      }
    })
  }

  it("gives the protocol and the echo when nothing is set", () => {
    assert.deepStrictEqual(argv({}), [...always, replay])
  })

  it("keeps one order, whatever the order of the options", () => {
    const options: Options = {
      worktree: true,
      model: "opus",
      resume: "x",
      agent: "reviewer",
      agents: { reviewer },
      permissionMode: "plan",
      includePartialMessages: true
    }
    const reversed = Object.fromEntries(Object.entries(options).sort(([a], [b]) => a < b ? 1 : -1))
    assert.deepStrictEqual(argv(reversed), argv(options))
    assert.deepStrictEqual(argv(options).slice(0, 4), always)
  })

  it("puts raw arguments last, after everything that can be set", () => {
    for (const [name, cases] of Object.entries(goldens)) {
      if (name === "extraArgs") continue
      for (const { is, ...rest } of cases) {
        const extraArgs = ["--", "trailing"]
        assert.deepStrictEqual(argv({ ...rest.with, [name]: is, extraArgs }).slice(-2), extraArgs)
        assert.deepStrictEqual(
          argv({ ...rest.with, [name]: is, extraArgs }).slice(0, -2),
          argv({ ...rest.with, [name]: is })
        )
      }
    }
  })

  it("does not let a flag without its value take a raw argument", () => {
    for (const bare of [{ debug: true }, { worktree: true }] as const) {
      assert.include(argv({ ...bare, extraArgs: ["x"] }), "x")
      const off = { ...bare, replayUserMessages: false }
      assert.deepStrictEqual(refused({ ...off, extraArgs: ["x"] }).options, ["extraArgs"])
      assert.include(argv({ ...off, extraArgs: ["-x"] }), "-x")
    }
  })
})

describe("what is refused", () => {
  const verdict = (options: Options) => {
    const { options: names, reason } = refused(options)
    return [reason, ...names]
  }

  it("resume with continue", () => {
    assert.deepStrictEqual(verdict({ resume: "x", continue: true }), ["Conflict", "resume", "continue"])
  })
  it("a fork of nothing", () => {
    assert.deepStrictEqual(verdict({ forkSession: true }), ["Conflict", "forkSession"])
  })
  it("a session id for a session that has one", () => {
    const expected = ["Conflict", "sessionId", "resume", "continue"]
    assert.deepStrictEqual(verdict({ sessionId: uuid, resume: "x" }), expected)
    assert.deepStrictEqual(verdict({ sessionId: uuid, continue: true }), expected)
  })
  it("a message without its session", () => {
    assert.deepStrictEqual(verdict({ resumeSessionAt: uuid }), ["Conflict", "resumeSessionAt"])
    assert.deepStrictEqual(verdict({ resumeSessionAt: uuid, continue: true }), ["Conflict", "resumeSessionAt"])
  })
  it("skipped permissions with a mode", () => {
    for (const permissionMode of PermissionMode.literals) {
      const options: Options = { dangerouslySkipPermissions: true, permissionMode }
      if (permissionMode === "bypassPermissions") assert.include(argv(options), "--dangerously-skip-permissions")
      else assert.deepStrictEqual(verdict(options), ["Conflict", "dangerouslySkipPermissions", "permissionMode"])
    }
  })
  it("two ways to think", () => {
    const options: Options = { thinking: "adaptive", maxThinkingTokens: 1 }
    assert.deepStrictEqual(verdict(options), ["Conflict", "thinking", "maxThinkingTokens"])
  })
  it("a model as its own fallback", () => {
    assert.deepStrictEqual(verdict({ model: "a", fallbackModel: "a" }), ["Conflict", "fallbackModel", "model"])
  })
  it("but not an option that is set to false", () => {
    assert.deepStrictEqual(own({ resume: "x", continue: false }), ["--resume=x"])
    assert.deepStrictEqual(own({ permissionMode: "plan", dangerouslySkipPermissions: false }), [
      "--permission-mode=plan"
    ])
  })

  it("a NUL, which would end the argument", () => {
    assert.deepStrictEqual(verdict({ model: "a\0b" }), ["InvalidValue", "model"])
    assert.deepStrictEqual(verdict({ addDirs: ["/a", "/b\0"] }), ["InvalidValue", "addDirs"])
    assert.deepStrictEqual(verdict({ extraArgs: ["\0"] }), ["InvalidValue", "extraArgs"])
    // JSON writes it in another way.
    assert.deepStrictEqual(own({ settings: { a: "\0" } }), ["--settings={\"a\":\"\\u0000\"}"])
  })
  it("an empty value where it means nothing", () => {
    for (const empty of [{ model: "" }, { resume: "" }, { debug: "" }, { addDirs: [""] }, { settings: "" }]) {
      assert.deepStrictEqual(verdict(empty), ["InvalidValue", ...Object.keys(empty)])
    }
  })
  it("numbers that are no limits", () => {
    for (const maxTurns of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.deepStrictEqual(verdict({ maxTurns }), ["InvalidValue", "maxTurns"])
    }
    for (const maxBudgetUsd of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.deepStrictEqual(verdict({ maxBudgetUsd }), ["InvalidValue", "maxBudgetUsd"])
    }
    for (const maxThinkingTokens of [-1, 0.5, Number.NaN]) {
      assert.deepStrictEqual(verdict({ maxThinkingTokens }), ["InvalidValue", "maxThinkingTokens"])
    }
  })
  it("ids and names that the CLI refuses", () => {
    assert.deepStrictEqual(verdict({ sessionId: "abc" }), ["InvalidValue", "sessionId"])
    for (const worktree of ["a b", "a//b", "/a", "a\n"]) {
      assert.deepStrictEqual(verdict({ worktree }), ["InvalidValue", "worktree"])
    }
  })
  it("an element that is two rules", () => {
    for (const rule of ["Bash,Edit", "Bash Edit", "Bash(ls) Edit", "Bash(a(b),Edit)", "Bash),Edit"]) {
      for (const options of [{ allowedTools: ["Read", rule] }, { disallowedTools: [rule] }, { tools: [rule] }]) {
        assert.deepStrictEqual(verdict(options), ["InvalidValue", ...Object.keys(options)])
      }
    }
    assert.strictEqual(own({ allowedTools: ["Bash(git log, or so:*)", "mcp__a__b", "Bash(unclosed, x"] }).length, 3)
  })
  it("what JSON cannot say", () => {
    const settings: Record<string, unknown> = {}
    settings["self"] = settings
    assert.deepStrictEqual(verdict({ settings }), ["InvalidValue", "settings"])
    assert.deepStrictEqual(verdict({ jsonSchema: { maximum: 1n } }), ["InvalidValue", "jsonSchema"])
  })
  it("without showing values", () => {
    assert.notInclude(refused({ appendSystemPrompt: "secret\0" }).message, "secret")
  })
  it("in a way that survives a trip through JSON", () => {
    const error = refused({ forkSession: true })
    const schema = CliOptions.CliOptionsError
    const trip = Schema.decodeUnknownSync(schema)(JSON.parse(JSON.stringify(Schema.encodeSync(schema)(error))))
    assert.deepStrictEqual(trip, error)
  })
})

/** Strings that look like flags, or that a shell or a careless splitter would take apart. */
const hostile = fc.array(
  fc.oneof(
    fc.constantFrom(
      "-",
      "--",
      "=",
      " ",
      "\n",
      "\t",
      "\"",
      "'",
      "`",
      "$(x)",
      ";",
      ",",
      "\\",
      "%A%",
      "--resume",
      "-p",
      "é😀"
    ),
    fc.string({ unit: "grapheme" })
  ),
  { minLength: 1, maxLength: 6 }
).map((parts) => parts.join("").replaceAll("\0", "")).filter((text) => text !== "")
const hostileList = fc.array(hostile, { maxLength: 4 })
const rule = hostile.map((text) => `-${text.replaceAll(/[ ,]/g, "_")}`)

/** Options of hostile values, with the arguments that each one may become. */
const texts = {
  model: "--model",
  fallbackModel: "--fallback-model",
  systemPrompt: "--system-prompt",
  appendSystemPrompt: "--append-system-prompt",
  resume: "--resume",
  resumeSessionAt: "--resume-session-at",
  agent: "--agent",
  permissionPromptTool: "--permission-prompt-tool",
  settings: "--settings",
  debug: "--debug",
  debugFile: "--debug-file"
} as const
const lists = { plugins: "--plugin-dir", addDirs: "--add-dir", mcpConfig: "--mcp-config", betas: "--betas" } as const
const rules = { allowedTools: "--allowedTools", disallowedTools: "--disallowedTools", tools: "--tools" } as const

type RecordOf<K extends string, A> = fc.Arbitrary<{ readonly [N in K]: A }>
const record = <K extends string, A>(flags: { readonly [N in K]: string }, value: fc.Arbitrary<A>) =>
  // `Object.keys` and `fc.record` forget the names; they are those of `flags`.
  fc.record(Object.fromEntries(Object.keys(flags).map((name) => [name, value]))) as RecordOf<K, A>

const hostileOptions = fc.tuple(
  record(texts, hostile),
  record(lists, hostileList),
  record(rules, fc.array(rule, { minLength: 1, maxLength: 4 })),
  fc.record({ agents: fc.dictionary(hostile, fc.constant(reviewer)), jsonSchema: fc.dictionary(hostile, hostile) })
).filter(([{ fallbackModel, model }]) => fallbackModel !== model)

describe("hostile values", () => {
  it("each become exactly one argument, bound to the flag that was meant", () => {
    fc.assert(fc.property(hostileOptions, ([a, b, c, d]) => {
      const bound = (flags: Record<string, string>, values: Record<string, string | ReadonlyArray<string>>) =>
        Object.entries(flags).flatMap(([name, flag]) => [values[name] ?? []].flat().map((value) => `${flag}=${value}`))
      const expected = [
        ...bound(texts, a),
        ...bound(lists, b),
        ...bound(rules, c),
        `--agents=${JSON.stringify(d.agents)}`,
        `--json-schema=${JSON.stringify(d.jsonSchema)}`
      ]
      assert.deepStrictEqual([...own({ ...a, ...b, ...c, ...d })].sort(), expected.sort())
    }))
  })

  it("arrive in a process as they were", () => {
    const print = ["-e", "process.stdout.write(JSON.stringify(process.argv.slice(1)))", "--"]
    fc.assert(
      fc.property(hostileOptions, ([a, b, c, d]) => {
        const given = argv({ ...a, ...b, ...c, ...d })
        const arrived = execFileSync(process.execPath, [...print, ...given], { encoding: "utf8" })
        assert.deepStrictEqual(JSON.parse(arrived), given)
      }),
      { numRuns: 10 }
    )
  })
})

import { Connector } from "@claude-duplex/protocol/Connector"
import * as Permission from "@claude-duplex/session/Permission"
import * as PermissionPolicy from "@claude-duplex/session/PermissionPolicy"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, FastCheck as fc, Option } from "effect"

const ask = (toolName: string, input: { readonly [name: string]: unknown } = {}) =>
  Permission.request("1", { subtype: "can_use_tool", tool_name: toolName, input })

const bash = (command: unknown) => ask("Bash", { command })

/** What a policy makes of a question, in a word. */
const opinion = (policy: PermissionPolicy.Policy<unknown>, request: Permission.Request) =>
  Exit.match(Effect.runSyncExit(policy(request)), {
    onFailure: (cause) => Cause.isDie(cause) ? "dies" : "fails",
    onSuccess: Option.match({ onNone: () => "none", onSome: (decision) => decision._tag })
  })

const allowed = (policy: PermissionPolicy.Policy<unknown>, ...requests: ReadonlyArray<Permission.Request>) =>
  requests.map((request) => opinion(policy, request))

describe("tools by name", () => {
  it("are allowed, and nothing else is", () => {
    const policy = PermissionPolicy.allowTools("Read", "mcp__calc__add")
    assert.deepStrictEqual(
      allowed(
        policy,
        ask("Read"),
        ask("mcp__calc__add"),
        ...["Rea", "Read2", "read", "mcp__calc__add2", "", "toString"].map((name) => ask(name))
      ),
      ["Allow", "Allow", "none", "none", "none", "none", "none", "none"]
    )
    assert.strictEqual(opinion(PermissionPolicy.allowTools(), ask("Read")), "none")
  })

  it("are denied, with a reason", () => {
    const policy = PermissionPolicy.denyTools(["Bash", "mcp__*"], "no")
    assert.deepStrictEqual(
      Effect.runSync(policy(ask("mcp__calc__add"))),
      Option.some(Permission.deny("no"))
    )
    assert.deepStrictEqual(allowed(policy, ask("Bash"), ask("BashOutput")), ["Deny", "none"])
  })

  it("may end in a star, which stands for any rest", () => {
    const policy = PermissionPolicy.allowTools("mcp__calc__*")
    assert.deepStrictEqual(
      allowed(
        policy,
        ...["mcp__calc__add", "mcp__calc__", "mcp__calc", "mcp__calculus__add", "xmcp__calc__add"].map((n) => ask(n))
      ),
      ["Allow", "Allow", "none", "none", "none"]
    )
    assert.strictEqual(opinion(PermissionPolicy.denyTools(["*"]), ask("anything")), "Deny")
  })

  it("with a star elsewhere are refused at once: a rule that never matches would deny nothing", () => {
    for (const name of ["mcp__*__add", "*x", "**"]) {
      assert.throws(() => PermissionPolicy.denyTools([name]), name)
    }
  })

  it("by pattern: whole to allow, in part to deny", () => {
    assert.deepStrictEqual(
      allowed(PermissionPolicy.allowWhen({ tool: /Read|Grep/ }), ask("Read"), ask("Grep"), ask("ReadMcpResource")),
      ["Allow", "Allow", "none"]
    )
    assert.deepStrictEqual(
      allowed(PermissionPolicy.denyWhen({ tool: /web/i }), ask("WebFetch"), ask("mcp__web__get"), ask("Read")),
      ["Deny", "Deny", "none"]
    )
  })

  it("by a function", () => {
    const policy = PermissionPolicy.allowWhen({ tool: (name) => name.length === 4 })
    assert.deepStrictEqual(allowed(policy, ask("Read"), ask("Write")), ["Allow", "none"])
  })
})

describe("calls by input", () => {
  const command = (pattern: PermissionPolicy.FieldPattern) => ({ tool: "Bash", input: { command: pattern } })

  it("a pattern that allows covers the whole text, whatever its flags", () => {
    for (const flags of ["", "g", "y", "m", "gm", "s", "u", "v", "i"]) {
      // `git log` is the first alternative, and a shorter one than what has to be found.
      for (const source of ["git log|git log -1", "^git log$|^git log -1$"]) {
        const policy = PermissionPolicy.allowWhen(command(new RegExp(source, flags)))
        assert.deepStrictEqual(
          allowed(
            policy,
            ...[
              "git log",
              "git log -1",
              "git log; rm -rf /",
              "git log\nrm -rf /",
              "rm -rf /\ngit log",
              "git log\n",
              " git log"
            ]
              .map(bash)
          ),
          ["Allow", "Allow", "none", "none", "none", "none", "none"],
          `${flags} ${source}`
        )
      }
    }
  })

  it("a pattern that denies needs a part", () => {
    const policy = PermissionPolicy.denyWhen(command(/\brm\b/y))
    assert.deepStrictEqual(allowed(policy, bash("rm x"), bash("ls\nrm x"), bash("ls")), ["Deny", "Deny", "none"])
  })

  it("a text is the text", () => {
    const policy = PermissionPolicy.allowWhen(command("ls (.*)"))
    assert.deepStrictEqual(allowed(policy, bash("ls (.*)"), bash("ls x")), ["Allow", "none"])
  })

  it("what is not text is never allowed by a text or a pattern, and is denied", () => {
    for (const value of [5, null, true, ["ls"], { toString: "ls" }]) {
      for (const pattern of ["5", /.*/s]) {
        assert.strictEqual(opinion(PermissionPolicy.allowWhen(command(pattern)), bash(value)), "none")
        assert.strictEqual(opinion(PermissionPolicy.denyWhen(command(pattern)), bash(value)), "Deny")
      }
    }
  })

  it("a field that is not there matches nothing; one that every object inherits is not there", () => {
    for (const pattern of ["", /(?:)/, () => true]) {
      for (const field of ["command", "toString", "__proto__"]) {
        const match = { tool: "Bash", input: Object.fromEntries([[field, pattern]]) }
        assert.strictEqual(opinion(PermissionPolicy.allowWhen(match), ask("Bash")), "none")
        assert.strictEqual(opinion(PermissionPolicy.denyWhen(match), ask("Bash")), "none")
      }
    }
  })

  it("all fields count, and the tool too", () => {
    const policy = PermissionPolicy.allowWhen({
      tool: "Edit",
      input: { file_path: /src\/\w+\.ts/, replace_all: (all) => all === false }
    })
    assert.deepStrictEqual(
      allowed(
        policy,
        ask("Edit", { file_path: "src/a.ts", replace_all: false, old_string: "x" }),
        ask("Edit", { file_path: "src/a.ts", replace_all: true }),
        ask("Edit", { file_path: "src/../b.ts", replace_all: false }),
        ask("Edit", { file_path: "src/a.ts" }),
        ask("Write", { file_path: "src/a.ts", replace_all: false })
      ),
      ["Allow", "none", "none", "none", "none"]
    )
  })

  it("only `true` allows, and anything but a no denies, where types are not kept", () => {
    // What a caller without types could give: a function that answers later.
    const later = (() => Promise.resolve(false)) as unknown as (value: unknown) => boolean
    assert.strictEqual(opinion(PermissionPolicy.allowWhen(command(later)), bash("ls")), "none")
    assert.strictEqual(opinion(PermissionPolicy.denyWhen(command(later)), bash("ls")), "Deny")
  })

  it("a function that throws is a policy that dies", () => {
    const broken = () => {
      throw new Error("broken")
    }
    assert.strictEqual(opinion(PermissionPolicy.allowWhen(command(broken)), bash("ls")), "dies")
    assert.strictEqual(opinion(PermissionPolicy.denyWhen({ tool: broken }), bash("ls")), "dies")
  })

  it("a denial has its message, and ends the turn if it says so", () => {
    const deny = (more: object) => Effect.runSync(PermissionPolicy.denyWhen({ tool: "Bash", ...more })(bash("ls")))
    assert.deepStrictEqual(
      deny({ message: "m", interrupt: true }),
      Option.some(Permission.deny("m", { interrupt: true }))
    )
    assert.deepStrictEqual(deny({}), Option.some(Permission.deny("A rule of the host denies this.")))
  })
})

describe("properties of patterns", () => {
  const flags = fc.subarray(["g", "y", "m", "s", "i"]).map((flags) => flags.join(""))

  it("answers do not alternate", () => {
    fc.assert(
      fc.property(
        flags,
        fc.array(fc.constantFrom("ls", "ls -l", "rm", "x\nls"), { maxLength: 8 }),
        (flags, commands) => {
          const pattern = new RegExp("ls( -l)?", flags)
          pattern.lastIndex = 2
          const match = { tool: new RegExp("Bash", flags), input: { command: pattern } }
          for (const make of [PermissionPolicy.allowWhen, PermissionPolicy.denyWhen]) {
            const policy = make(match)
            for (const command of commands) {
              assert.strictEqual(opinion(policy, bash(command)), opinion(make(match), bash(command)))
              assert.strictEqual(opinion(policy, bash(command)), opinion(policy, bash(command)))
            }
          }
          assert.strictEqual(pattern.lastIndex, 2)
        }
      )
    )
  })

  it("what is added to an allowed text, before or after, is not allowed", () => {
    fc.assert(fc.property(flags, fc.string(), fc.string(), (flags, before, after) => {
      fc.pre(before !== "" || after !== "")
      const policy = PermissionPolicy.allowWhen({ tool: "Bash", input: { command: new RegExp("git status", flags) } })
      assert.strictEqual(opinion(policy, bash("git status")), "Allow")
      assert.strictEqual(opinion(policy, bash(`${before}git status${after}`)), "none")
    }))
  })

  it("what would be allowed is denied by the same rule as a denial", () => {
    fc.assert(fc.property(flags, fc.string(), (flags, command) => {
      const match = { tool: /B\w+/, input: { command: new RegExp("[a-f]*", flags) } }
      if (opinion(PermissionPolicy.allowWhen(match), bash(command)) === "Allow") {
        assert.strictEqual(opinion(PermissionPolicy.denyWhen(match), bash(command)), "Deny")
      }
    }))
  })
})

describe("policies together", () => {
  const opinions = {
    none: PermissionPolicy.abstain,
    Allow: PermissionPolicy.allowTools("*"),
    Deny: PermissionPolicy.denyTools(["*"]),
    Defer: PermissionPolicy.fromHandler(() => Effect.succeed(Permission.defer)),
    fails: () => Effect.fail("no"),
    dies: () => Effect.die("no"),
    throws: () => {
      throw new Error("no")
    }
  } satisfies Record<string, PermissionPolicy.Policy<unknown>>
  // A literal's own keys are those of its type.
  const kind = fc.constantFrom(...(Object.keys(opinions) as Array<keyof typeof opinions>))
  const kinds = fc.array(kind, { maxLength: 6 })
  const all = (kinds: ReadonlyArray<keyof typeof opinions>) =>
    PermissionPolicy.firstMatch(...kinds.map((kind): PermissionPolicy.Policy<unknown> => opinions[kind]))
  const question = ask("Bash")

  it("the first opinion counts, and a failure is one", () => {
    fc.assert(fc.property(kinds, (kinds) => {
      const first = kinds.find((kind) => kind !== "none") ?? "none"
      assert.strictEqual(opinion(all(kinds), question), first === "throws" ? "dies" : first)
    }))
  })

  it("how they are grouped does not matter, and who abstains could be absent", () => {
    fc.assert(fc.property(kinds, kinds, kinds, (a, b, c) => {
      const flat = opinion(all([...a, ...b, ...c]), question)
      assert.strictEqual(
        opinion(PermissionPolicy.firstMatch(all(a), PermissionPolicy.firstMatch(all(b), all(c))), question),
        flat
      )
      assert.strictEqual(
        opinion(PermissionPolicy.firstMatch(PermissionPolicy.firstMatch(all(a), all(b)), all(c)), question),
        flat
      )
      assert.strictEqual(opinion(all([...a, "none", ...b, ...c]), question), flat)
    }))
  })

  it("nobody is asked after the first opinion", () => {
    fc.assert(fc.property(kinds, (kinds) => {
      const asked: Array<string> = []
      const policies = kinds.map((kind): PermissionPolicy.Policy<unknown> => (request) => {
        asked.push(kind)
        return opinions[kind](request)
      })
      opinion(PermissionPolicy.firstMatch(...policies), question)
      const first = kinds.findIndex((kind) => kind !== "none")
      assert.deepStrictEqual<ReadonlyArray<string>>(asked, first === -1 ? kinds : kinds.slice(0, first + 1))
    }))
  })

  it("a handler allows only if the first opinion does, and denies by default", () => {
    fc.assert(fc.property(kinds, (kinds) => {
      const exit = Effect.runSyncExit(PermissionPolicy.toHandler(all(kinds))(question))
      const first = kinds.find((kind) => kind !== "none") ?? "Deny"
      if (Exit.isSuccess(exit)) assert.strictEqual(exit.value._tag, first)
      else assert.include(["fails", "dies", "throws"], first)
    }))
  })

  it("what nobody decides is decided by whom one says", () => {
    const decide = (otherwise: Permission.Handler | Permission.Decision) =>
      Effect.runSync(PermissionPolicy.toHandler(PermissionPolicy.abstain, { otherwise })(question))
    assert.strictEqual(decide(Permission.defer), Permission.defer)
    assert.deepStrictEqual(decide(({ toolName }) => Effect.succeed(Permission.deny(toolName))), Permission.deny("Bash"))
    const broken = PermissionPolicy.toHandler(PermissionPolicy.abstain, {
      otherwise: () => {
        throw new Error("broken")
      }
    })
    assert.isTrue(Exit.isFailure(Effect.runSyncExit(broken(question))))
  })

  it("fail and need what each of them does", () => {
    const one: PermissionPolicy.Policy<"a"> = () => Effect.fail("a")
    const two: PermissionPolicy.Policy<"b", Connector> = () => Effect.zipRight(Connector, Effect.fail("b" as const))
    const both: PermissionPolicy.Policy<"a" | "b", Connector> = PermissionPolicy.firstMatch(one, two)
    // @ts-expect-error: the failure of the second one is not lost.
    const lost: PermissionPolicy.Policy<"a", Connector> = PermissionPolicy.firstMatch(one, two)
    const handler: Permission.Handler<"a" | "b", Connector> = PermissionPolicy.toHandler(both)
    assert.isFunction(handler)
    assert.isFunction(lost)
  })
})

import { HookEvent } from "@claude-duplex/protocol/schema/HookCallback"
import { HookOutput, HookSpecificOutput } from "@claude-duplex/protocol/schema/HookOutput"
import * as HookAnswer from "@claude-duplex/session/HookAnswer"
import * as Permission from "@claude-duplex/session/Permission"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Either, FastCheck as fc, Schema } from "effect"

/** Strict: a field that the schema does not have is one that the CLI would not read. */
const validate = Schema.validateEither(HookOutput, { onExcessProperty: "error" })

const valid = <A extends HookOutput>(answer: A): A => {
  const checked = validate(answer)
  if (Either.isLeft(checked)) assert.fail(checked.left.message)
  return answer
}

describe("common answers", () => {
  const answers: ReadonlyArray<readonly [HookAnswer.Common, object]> = [
    [HookAnswer.proceed, {}],
    [HookAnswer.suppressOutput, { suppressOutput: true }],
    [HookAnswer.block("r"), { decision: "block", reason: "r" }],
    [HookAnswer.stop("r"), { continue: false, stopReason: "r" }],
    [HookAnswer.systemMessage("m"), { systemMessage: "m" }]
  ]

  it("are what the CLI reads", () => {
    for (const [answer, expected] of answers) assert.deepStrictEqual<object>(valid(answer), expected)
  })

  it("fit every event", () => {
    const fits = <E extends HookEvent>(_: E, answer: HookAnswer.Answer<NoInfer<E>>) => valid(answer)
    for (const [answer] of answers) {
      for (const event of HookEvent.literals) assert.strictEqual(fits(event, answer), answer)
    }
  })

  it("are added to others by spreading", () => {
    assert.deepStrictEqual<object>(valid({ ...HookAnswer.denyTool("no"), ...HookAnswer.systemMessage("m") }), {
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" },
      systemMessage: "m"
    })
  })
})

describe("answers of an event", () => {
  const specific = (answer: HookAnswer.Answer<HookEvent>): object | undefined => valid(answer).hookSpecificOutput

  it("PreToolUse: allow, deny, ask", () => {
    assert.deepStrictEqual(specific(HookAnswer.allowTool()), {
      hookEventName: "PreToolUse",
      permissionDecision: "allow"
    })
    assert.deepStrictEqual(
      specific(HookAnswer.allowTool("r", { updatedInput: { a: 1 }, additionalContext: "c" })),
      {
        hookEventName: "PreToolUse",
        permissionDecision: "allow",
        permissionDecisionReason: "r",
        updatedInput: { a: 1 },
        additionalContext: "c"
      }
    )
    assert.deepStrictEqual(specific(HookAnswer.denyTool("r", { additionalContext: "c" })), {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "r",
      additionalContext: "c"
    })
    assert.deepStrictEqual(specific(HookAnswer.askAboutTool("r", { updatedInput: undefined })), {
      hookEventName: "PreToolUse",
      permissionDecision: "ask",
      permissionDecisionReason: "r"
    })
  })

  it("PostToolUse: another output, `null` and falsehoods too", () => {
    for (const output of ["x", null, false, 0, { stdout: "" }]) {
      assert.deepStrictEqual(specific(HookAnswer.replaceToolOutput(output)), {
        hookEventName: "PostToolUse",
        updatedToolOutput: output
      })
    }
    assert.deepStrictEqual(specific(HookAnswer.replaceToolOutput("x", { additionalContext: "c" })), {
      hookEventName: "PostToolUse",
      updatedToolOutput: "x",
      additionalContext: "c"
    })
  })

  it("PermissionRequest: a decision", () => {
    const decide = (decision: Permission.Allow | Permission.Deny) => specific(HookAnswer.decidePermission(decision))
    assert.deepStrictEqual(decide(Permission.allow()), {
      hookEventName: "PermissionRequest",
      decision: { behavior: "allow" }
    })
    assert.deepStrictEqual(decide(Permission.allow({ updatedInput: { a: 1 }, updatedPermissions: [] })), {
      hookEventName: "PermissionRequest",
      decision: { behavior: "allow", updatedInput: { a: 1 }, updatedPermissions: [] }
    })
    assert.deepStrictEqual(decide(Permission.deny("no", { interrupt: true })), {
      hookEventName: "PermissionRequest",
      decision: { behavior: "deny", message: "no", interrupt: true }
    })
  })

  it("every event that takes context takes it", () => {
    const events = HookSpecificOutput.members.flatMap(({ fields }) =>
      // What the schemas have; that the type lists the same is said below.
      "additionalContext" in fields ? [fields.hookEventName.literals[0]] : []
    )
    const typed: ReadonlyArray<HookAnswer.ContextEvent> = events
    assert.isAbove(typed.length, 10)
    for (const event of typed) {
      assert.deepStrictEqual(specific(HookAnswer.addContext(event, "c")), {
        hookEventName: event,
        additionalContext: "c"
      })
    }
  })

  it("whatever an event has can be answered", () => {
    fc.assert(fc.property(Arbitrary.make(HookSpecificOutput), (output) => {
      const { hookEventName, ...fields } = output
      assert.deepStrictEqual(HookAnswer.specific(hookEventName, fields).hookSpecificOutput, output)
      valid(HookAnswer.specific(hookEventName, fields))
    }))
  })
})

describe("types", () => {
  it("keep answers of one event from another", () => {
    const all = [
      // @ts-expect-error: a decision about a tool is nothing to Stop.
      (): HookAnswer.Answer<"Stop"> => HookAnswer.denyTool("no"),
      // @ts-expect-error: nor to what comes after the tool.
      (): HookAnswer.Answer<"PostToolUse"> => HookAnswer.allowTool(),
      // @ts-expect-error: context for one event is not for another.
      (): HookAnswer.Answer<"PreToolUse"> => HookAnswer.addContext("PostToolUse", "c"),
      // @ts-expect-error: an event without an answer of its own has none.
      (): HookAnswer.Answer<"SessionEnd"> => HookAnswer.addContext("Stop", "c"),
      // @ts-expect-error: nobody reads context here.
      () => HookAnswer.addContext("PermissionRequest", "c"),
      // @ts-expect-error: a field of another event.
      () => HookAnswer.specific("Stop", { permissionDecision: "deny" }),
      // @ts-expect-error: the path is what it is asked for.
      () => HookAnswer.specific("WorktreeCreate", {}),
      // @ts-expect-error: what is denied does not run, with whatever input.
      () => HookAnswer.denyTool("no", { updatedInput: {} })
    ]
    assert.lengthOf(all, 8)
  })
})

import * as Codec from "@claude-duplex/protocol/Codec"
import { Connector } from "@claude-duplex/protocol/Connector"
import * as Frame from "@claude-duplex/protocol/Frame"
import { validateResponse } from "@claude-duplex/protocol/schema/CliRequest"
import { HookEvent, HookInput } from "@claude-duplex/protocol/schema/HookCallback"
import * as Hook from "@claude-duplex/session/Hook"
import * as HookAnswer from "@claude-duplex/session/HookAnswer"
import * as Recording from "@claude-duplex/transport-mock/Recording"
import * as Script from "@claude-duplex/transport-mock/Script"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Duration, Effect, Either, Exit, FastCheck as fc } from "effect"
import { readFileSync } from "node:fs"
import { session, success } from "./support/sessions.js"

const base = { session_id: "s", transcript_path: "/t", cwd: "/" }

const preToolUse: HookInput = {
  ...base,
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "ls" }
}

const call = { requestId: "1", toolUseId: undefined }

const stop: HookInput = { ...base, hook_event_name: "Stop", stop_hook_active: false }

describe("a hook of an event", () => {
  it.effect("gets the input of that event, and the call", () =>
    Effect.gen(function*() {
      const hook = Hook.on("PreToolUse", (input, { requestId, toolUseId }) => {
        const name: string = input.tool_name
        return Effect.succeed(HookAnswer.denyTool(`${requestId} ${name} ${toolUseId ?? ""}`))
      })
      assert.strictEqual(hook.event, "PreToolUse")
      const answer = yield* hook.run(preToolUse, { requestId: "1", toolUseId: "toolu_1" })
      assert.deepStrictEqual<object>(answer, HookAnswer.denyTool("1 Bash toolu_1"))
      assert.isTrue(Either.isRight(validateResponse("hook_callback", answer)))
    }))

  it.effect("is not run for another one, known or not", () =>
    Effect.gen(function*() {
      let runs = 0
      const count = () =>
        Effect.sync(() => {
          runs++
          return {}
        })
      const unknown = Codec.cli.fromJson({
        type: "control_request",
        request_id: "1",
        request: { subtype: "hook_callback", callback_id: "h", input: { ...base, hook_event_name: "Hologram" } }
      })
      if (
        !Frame.isKnown(unknown) || unknown.type !== "control_request" || unknown.request.subtype !== "hook_callback"
      ) {
        return assert.fail("a hook of an unknown event is known to be one")
      }
      for (const hook of [Hook.on("Stop", count), Hook.background("Stop", count)]) {
        for (const [input, actual] of [[preToolUse, "PreToolUse"], [unknown.request.input, "Hologram"]] as const) {
          const error = yield* Effect.flip(hook.run(input, call))
          if (!(error instanceof Hook.HookMismatch)) return assert.fail("a mismatch")
          assert.deepStrictEqual([error.expected, error.actual], ["Stop", actual])
          assert.strictEqual(error.message, `A hook of Stop was called for ${actual}.`)
        }
      }
      assert.strictEqual(runs, 0)
    }))

  it("is never reached by an input of the right name and another shape: that is no request", () => {
    const frame = Codec.cli.fromJson({
      type: "control_request",
      request_id: "1",
      request: { subtype: "hook_callback", callback_id: "h", input: { ...base, hook_event_name: "Stop" } }
    })
    assert.isFalse(Frame.isKnown(frame))
  })

  it.effect("that throws has died, and one that fails has failed", () =>
    Effect.gen(function*() {
      const broken = Hook.on("Stop", () => {
        throw new Error("broken")
      })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(broken.run(stop, call))))
      const failing = Hook.on("Stop", () => Effect.fail("no"))
      assert.strictEqual(yield* Effect.flip(failing.run(stop, call)), "no")
    }))

  it("runs for its own event and for no other, whatever the event", () => {
    fc.assert(
      fc.property(fc.constantFrom(...HookEvent.literals), Arbitrary.make(HookInput), (event, input) => {
        const hook = Hook.on(event, () => Effect.succeed(HookAnswer.proceed))
        const exit = Effect.runSyncExit(hook.run(input, call))
        assert.strictEqual(Exit.isSuccess(exit), String(input.hook_event_name) === event)
        assert.strictEqual(Hook.isInputOf(event, input), Exit.isSuccess(exit))
      }),
      { numRuns: 300 }
    )
  })

  it.effect("runs for what a real CLI sends", () =>
    Effect.gen(function*() {
      const file = new URL("../../../recordings/2.1.326/initialize-hooks.jsonl", import.meta.url)
      const { entries } = Either.getOrThrow(Recording.parse(readFileSync(file, "utf8")))
      const inputs = entries.flatMap(({ dir, line }) => {
        const frame = dir === "cli" ? Either.getOrUndefined(Codec.cli.decode(line)) : undefined
        return frame === undefined || !Frame.isKnown(frame) || frame.type !== "control_request" ||
            frame.request.subtype !== "hook_callback"
          ? []
          : [frame.request]
      })
      const seen: Array<string> = []
      const note = (text: string) =>
        Effect.sync(() => {
          seen.push(text)
          return HookAnswer.proceed
        })
      const hooks = [
        Hook.on("UserPromptSubmit", ({ prompt }) => note(prompt.slice(0, 9))),
        Hook.on("PreToolUse", ({ tool_name }, { toolUseId }) => note(`${tool_name} ${toolUseId ?? ""}`)),
        Hook.on("PostToolUse", ({ duration_ms }) => note(String(duration_ms))),
        Hook.on("Stop", ({ last_assistant_message }) => note(last_assistant_message ?? ""))
      ]
      for (const { input, tool_use_id } of inputs) {
        for (const hook of hooks) {
          if (Hook.isInputOf(hook.event, input)) yield* hook.run(input, { requestId: "1", toolUseId: tool_use_id })
        }
      }
      assert.deepStrictEqual(seen, ["TOOL:Bash", "Bash toolu_14", "70", `tool done: "hooked"`])
    }))
})

describe("a hook in the background", () => {
  it.effect("says so, and what it returns is no answer", () =>
    Effect.gen(function*() {
      const hook = Hook.background("PreToolUse", ({ tool_name }) => Effect.succeed(tool_name))
      assert.strictEqual(hook.mode, "background")
      assert.deepStrictEqual(yield* hook.run(preToolUse, call), {})
      assert.strictEqual(Hook.on("Stop", () => Effect.succeed(HookAnswer.proceed)).mode, "answer")
    }))
})

describe("options", () => {
  const made = (options?: Hook.Options) => {
    const { run: _, ...hook } = Hook.on("Stop", () => Effect.succeed(HookAnswer.proceed), options)
    return hook
  }

  it("are left out if they are not given", () => {
    assert.deepStrictEqual(made(), { event: "Stop", mode: "answer" })
    assert.deepStrictEqual(made({ matcher: undefined, timeout: undefined, onFailure: undefined }), made())
  })

  it("are in the hook as they were given", () => {
    assert.deepStrictEqual(made({ matcher: "Bash|Edit", timeout: "2 minutes", onFailure: "block" }), {
      event: "Stop",
      mode: "answer",
      matcher: "Bash|Edit",
      timeout: "2 minutes",
      onFailure: "block"
    })
  })

  it.scoped("tell the CLI a timeout in seconds, and one without end as the longest that a timer can be", () => {
    const timeouts = ["2 minutes", 1_500, Duration.infinity, "90 days"] as const
    return session(
      Script.behaviour(Script.make(
        Script.expect({
          type: "control_request",
          request: { hooks: { Stop: [120, 1.5, 2_147_483, 2_147_483].map((timeout) => ({ timeout })) } }
        }),
        Script.reply(success({})),
        Script.delay("1 day")
      )),
      { hooks: timeouts.map((timeout): Hook.Hook => ({ event: "Stop", timeout, run: () => Effect.succeed({}) })) }
    )
  })
})

describe("types", () => {
  it("every event has an input, and the input of an event is its own", () => {
    // Would not compile if an event had no input: then its name would be `never`.
    const names: { readonly [E in HookEvent]: Hook.InputOf<E>["hook_event_name"] } = Object.fromEntries(
      HookEvent.literals.map((event) => [event, event])
      // Each name by itself, as just made.
    ) as { readonly [E in HookEvent]: E }
    const same: { readonly [E in HookEvent]: E } = names
    assert.lengthOf(Object.keys(same), HookEvent.literals.length)
  })

  it("an answer fits the event, and what a hook needs is known", () => {
    const needs: Hook.Hook<Connector> = Hook.on("Stop", () => Effect.as(Connector, HookAnswer.proceed))
    const plain: Hook.Hook = { event: "Stop", run: () => Effect.succeed({}) }
    const refused = [
      // @ts-expect-error: a decision about a tool is nothing to Stop.
      () => Hook.on("Stop", () => Effect.succeed(HookAnswer.denyTool("no"))),
      // @ts-expect-error: Stop has no tool.
      () => Hook.on("Stop", (input) => Effect.succeed(HookAnswer.block(input.tool_name))),
      // @ts-expect-error: what it needs is not lost.
      (): Hook.Hook => Hook.background("Stop", () => Connector)
    ]
    assert.lengthOf([needs, plain, ...refused], 5)
  })
})

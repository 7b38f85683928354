/**
 * The tests of the Rust library that this one began with (its `duplex.rs`), in our terms. A title has the name of the test
 * that it stands for, and says where ours is meant to be different. `docs/seeds.md` has the table.
 */
import type { Item } from "@claude-duplex/protocol/Codec"
import * as Frame from "@claude-duplex/protocol/Frame"
import * as TransportExit from "@claude-duplex/protocol/TransportExit"
import * as Permission from "@claude-duplex/session/Permission"
import type * as Session from "@claude-duplex/session/Session"
import type { SessionEvent } from "@claude-duplex/session/SessionEvent"
import type { PeerExit } from "@claude-duplex/transport-mock/Peer"
import * as Script from "@claude-duplex/transport-mock/Script"
import type { AnyStep } from "@claude-duplex/transport-mock/ScriptStep"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Exit, Fiber, Option, Scope, Stream } from "effect"
import { readFileSync } from "node:fs"
import { answered, asked, canUseTool, init, refused, result, session, success, turn } from "./support/sessions.js"

/** A session with these steps at its other end. */
const over = (steps: ReadonlyArray<AnyStep>, options?: Session.Options) =>
  session(Script.behaviour(Script.make(...steps)), options)

/** Everything that a session tells which says nothing itself, from its beginning to its end. */
const heard = (steps: ReadonlyArray<AnyStep>, options?: Session.Options) =>
  Effect.gen(function*() {
    const s = yield* over([...steps, Script.exit(0)], { history: 100, ...options })
    assert.strictEqual((yield* s.awaitExit).stderr, "")
    return Chunk.toReadonlyArray(yield* Stream.runCollect(yield* s.subscribe({ history: true })))
  })

/** What came over the wire: a frame by its type, anything else by why it is none. */
const items = (events: ReadonlyArray<SessionEvent>) =>
  events.flatMap((event) => event._tag === "Received" ? [name(event.item)] : [])

const name = (item: Item): string =>
  Frame.match(item, {
    known: (frame) => "subtype" in frame ? `${frame.type}/${frame.subtype}` : frame.type,
    Unknown: ({ reason }) => reason,
    DecodeError: ({ reason }) => reason
  })

const prompt = Script.expect({ type: "user" }, { label: "prompt" })

/** A result of the turn that `prompt` began, whatever was received since. */
const ended = (text: string) => ({ ...result(text), user_message_uuids: [Script.received("uuid", "prompt")] })

const assistant = {
  type: "assistant",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: "hi" }],
    stop_reason: null,
    usage: { input_tokens: 1, output_tokens: 1 }
  },
  parent_tool_use_id: null,
  session_id: "s"
} as const

const streamEvent = {
  type: "stream_event",
  event: { type: "message_stop" },
  parent_tool_use_id: null,
  session_id: "s"
} as const

const toolResult = {
  type: "user",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "done" }] },
  parent_tool_use_id: null,
  session_id: "s"
} as const

describe("a turn's result", () => {
  it.scoped("seed: turn_result_accessors_pull_from_result", () =>
    Effect.gen(function*() {
      const s = yield* over([
        prompt,
        Script.reply(init),
        Script.reply({ ...ended("hello"), session_id: "sess-123", total_cost_usd: 0.0042, duration_ms: 1234 })
      ])
      const { durationMillis, sessionId, text, totalCostUsd } = yield* s.send("a")
      assert.deepStrictEqual({ durationMillis, sessionId, text, totalCostUsd }, {
        durationMillis: 1234,
        sessionId: "sess-123",
        text: "hello",
        totalCostUsd: 0.0042
      })
    }))

  // No CLI that was ever recorded sends the old field; what it meant there is not known, so nothing is made of it.
  it.scoped("seed: turn_result_total_cost_falls_back_to_legacy_field; here it stays in the frame, and is not guessed at", () =>
    Effect.gen(function*() {
      const s = yield* over([prompt, Script.replyUnchecked({ type: "result", cost_usd: 0.5 })])
      const { frame, totalCostUsd } = yield* s.send("a")
      assert.strictEqual(totalCostUsd, undefined)
      assert.deepStrictEqual(frame !== undefined && !Frame.isKnown(frame) && frame.raw, {
        type: "result",
        cost_usd: 0.5
      })
    }))

  it.scoped("seed: turn_result_accessors_return_none_when_missing", () =>
    Effect.gen(function*() {
      const s = yield* over([prompt, Script.replyUnchecked({ type: "result" })])
      const { durationMillis, outcome, sessionId, text, totalCostUsd } = yield* s.send("a")
      assert.deepStrictEqual({ durationMillis, outcome, sessionId, text, totalCostUsd }, {
        durationMillis: undefined,
        // Nothing says that it went well.
        outcome: "error",
        sessionId: undefined,
        text: "",
        totalCostUsd: undefined
      })
    }))
})

describe("what comes in", () => {
  it.scoped("seed: handle_inbound_appends_non_result_to_pending_events", () =>
    Effect.gen(function*() {
      const s = yield* over([prompt, Script.reply(init), Script.reply(assistant), Script.delay("1 hour")])
      const { frames, phase } = yield* s.start("a")
      const first = yield* Stream.runCollect(Stream.take(frames, 2))
      assert.deepStrictEqual(Chunk.toReadonlyArray(first).map(name), ["system/init", "assistant"])
      assert.notStrictEqual(yield* phase, "Ended")
    }))

  it.scoped("seed: handle_inbound_resolves_pending_on_result; here the result is the last of its frames", () =>
    Effect.gen(function*() {
      const s = yield* over([prompt, Script.reply(init), Script.reply(assistant), Script.reply(ended("ok"))])
      const { frames, text } = yield* s.send("a")
      assert.strictEqual(text, "ok")
      assert.deepStrictEqual(frames.map(name), ["system/init", "assistant", "result/success"])
      assert.strictEqual((yield* s.status.get)._tag, "Idle")
    }))

  it.scoped("seed: handle_inbound_drops_orphans_without_pending_turn; here they are told, as a turn of nobody's", () =>
    Effect.gen(function*() {
      const events = yield* heard([
        Script.reply(init),
        Script.reply(assistant),
        Script.reply({ ...result("ok"), user_message_uuids: [] })
      ])
      assert.deepStrictEqual(items(events), ["system/init", "assistant", "result/success"])
      assert.deepStrictEqual(
        events.flatMap((event) => event._tag === "TurnEnded" ? [event.messages] : []),
        [[]]
      )
    }))

  it.scoped("seed: handle_inbound_broadcasts_classified_event", () =>
    Effect.gen(function*() {
      const s = yield* over([prompt, Script.reply(init), Script.reply(assistant), Script.reply(ended("ok"))])
      const seen = yield* Effect.fork(
        (yield* s.subscribe({ only: ["Received"] })).pipe(
          Stream.filter((event) => event._tag === "Received" && name(event.item) === "assistant"),
          Stream.runHead
        )
      )
      yield* s.send("a")
      const event = Option.getOrThrow(yield* Fiber.join(seen))
      assert.isTrue(event._tag === "Received" && event.turn !== undefined)
    }))

  it.scoped("seed: handle_inbound_does_not_broadcast_result; here it is told like every frame, and so is the turn's end", () =>
    Effect.gen(function*() {
      const s = yield* over([prompt, Script.reply(init), Script.reply(ended("ok")), Script.exit(0)])
      const seen = yield* Effect.fork(Stream.runCollect(yield* s.subscribe({ only: ["Received", "TurnEnded"] })))
      const { frame } = yield* s.send("a")
      yield* s.awaitExit
      const events = Chunk.toReadonlyArray(yield* Fiber.join(seen))
      assert.deepStrictEqual(events.map(({ _tag }) => _tag), ["Received", "Received", "TurnEnded"])
      const last = events[2]
      assert.isTrue(last?._tag === "TurnEnded" && last.result === frame && last.messages.length === 1)
    }))

  it.scoped("seed: handle_inbound_returns_permission_for_can_use_tool", () =>
    Effect.gen(function*() {
      const s = yield* over(
        [prompt, Script.reply(init), Script.reply(canUseTool("p1")), answered("p1", {}), Script.reply(ended("done"))],
        { onPermission: ({ id, toolName }) => Effect.succeed(Permission.deny(`${id} ${toolName}`)) }
      )
      const { frames } = yield* s.send("a")
      assert.deepStrictEqual(frames.map(name), ["system/init", "control_request", "result/success"])
    }))

  it.scoped("seed: handle_inbound_treats_unknown_control_request_as_other; here it is refused too, or the CLI would wait", () =>
    Effect.gen(function*() {
      const events = yield* heard([
        Script.replyUnchecked({ type: "control_request", request_id: "r", request: { subtype: "future_subtype" } }),
        refused("r")
      ])
      assert.deepStrictEqual(items(events), ["UnknownSubtype"])
    }))

  it.scoped("seed: handle_inbound_returns_control_response_action", () =>
    Effect.gen(function*() {
      const s = yield* over([
        prompt,
        Script.reply(init),
        asked("interrupt"),
        Script.reply(success({})),
        Script.delay("1 hour")
      ])
      const { phase } = yield* s.start("a")
      yield* s.interrupt()
      // It answers the request, and does not end the turn.
      assert.notStrictEqual(yield* phase, "Ended")
    }))

  it.scoped("seed: handle_inbound_treats_malformed_control_response_as_other", () =>
    Effect.gen(function*() {
      const events = yield* heard([
        Script.replyUnchecked({ type: "control_response", response: { subtype: "success" } })
      ])
      assert.deepStrictEqual(items(events), ["UnexpectedShape"])
    }))
})

describe("what kind of frame it is", () => {
  it.scoped("seed: classify_system_init_pulls_session_id", () =>
    Effect.gen(function*() {
      const s = yield* over([prompt, Script.reply({ ...init, session_id: "sess-abc" }), Script.reply(ended("ok"))])
      assert.deepStrictEqual(yield* s.sessionId.get, Option.none())
      yield* s.send("a")
      assert.deepStrictEqual(yield* s.sessionId.get, Option.some("sess-abc"))
    }))

  it.scoped("seed: classify_system_without_init_subtype_is_other; here known ones are typed, and the rest is kept whole", () =>
    Effect.gen(function*() {
      const events = yield* heard([
        Script.reply({ type: "system", subtype: "status", status: null, session_id: "s", uuid: "u" }),
        Script.replyUnchecked({ type: "system", subtype: "compaction" })
      ])
      assert.deepStrictEqual(items(events), ["system/status", "UnknownSubtype"])
    }))

  it.scoped("seed: classify_system_init_without_session_id_is_other", () =>
    Effect.gen(function*() {
      const s = yield* over([
        prompt,
        Script.replyUnchecked({ ...init, session_id: undefined }),
        Script.reply(ended("ok"))
      ])
      const { frames } = yield* s.send("a")
      assert.deepStrictEqual(frames.map(name), ["UnexpectedShape", "result/success"])
      assert.deepStrictEqual(yield* s.sessionId.get, Option.none())
    }))

  it.scoped("seed: classify_assistant_stream_event_user", () =>
    Effect.gen(function*() {
      const events = yield* heard([Script.reply(assistant), Script.reply(streamEvent), Script.reply(toolResult)])
      assert.deepStrictEqual(items(events), ["assistant", "stream_event", "user"])
    }))

  it.scoped("seed: classify_unknown_type_is_other; here each says why it is not known", () =>
    Effect.gen(function*() {
      const events = yield* heard([
        Script.replyUnchecked({ type: "control_request" }),
        Script.replyUnchecked({ type: "future_thing" }),
        Script.replyUnchecked({})
      ])
      assert.deepStrictEqual(items(events), ["UnexpectedShape", "UnknownType", "NotAnObject"])
    }))
})

describe("permission questions", () => {
  /** Who was asked what, and what came over the wire. */
  const put = (request: object, ...steps: ReadonlyArray<AnyStep>) =>
    Effect.gen(function*() {
      const questions: Array<Permission.Request> = []
      const events = yield* heard([Script.replyUnchecked({ type: "control_request", ...request }), ...steps], {
        onPermission: (question) =>
          Effect.sync(() => {
            questions.push(question)
            return Permission.deny("no")
          })
      })
      return { questions, items: items(events) }
    })

  it.scoped("seed: parse_permission_request_extracts_fields", () =>
    Effect.gen(function*() {
      const { questions } = yield* put(canUseTool("req-1"), answered("req-1", { behavior: "deny" }))
      assert.deepStrictEqual(questions, [{
        id: "req-1",
        toolName: "Bash",
        input: { command: "ls" },
        suggestions: [],
        raw: { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" } }
      }])
    }))

  it.scoped("seed: parse_permission_request_returns_none_when_missing_request_id; nobody could answer it", () =>
    Effect.gen(function*() {
      const { items, questions } = yield* put({ request: canUseTool("").request })
      assert.deepStrictEqual([questions, items], [[], ["UnexpectedShape"]])
    }))

  it.scoped("seed: parse_permission_request_returns_none_when_missing_tool_name; here it is refused too", () =>
    Effect.gen(function*() {
      const request = { request_id: "req-1", request: { subtype: "can_use_tool", input: {} } }
      const { items, questions } = yield* put(request, refused("req-1"))
      assert.deepStrictEqual([questions, items], [[], ["UnexpectedShape"]])
    }))

  // Whoever allowed it would allow they know not what, and an allow without an input cannot be sent.
  it.scoped("seed: parse_permission_request_handles_missing_input; here it is refused", () =>
    Effect.gen(function*() {
      const request = { request_id: "req-1", request: { subtype: "can_use_tool", tool_name: "Bash" } }
      const { items, questions } = yield* put(request, refused("req-1"))
      assert.deepStrictEqual([questions, items], [[], ["UnexpectedShape"]])
    }))

  it.scoped("seed: permission_handler_invokes_closure_async", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const s = yield* over(
        [Script.reply(canUseTool("r1")), answered("r1", { behavior: "deny", message: "no bash" }), Script.exit(0)],
        {
          onPermission: ({ toolName }) =>
            Effect.as(Deferred.await(gate), toolName === "Bash" ? Permission.deny("no bash") : Permission.allow())
        }
      )
      yield* Deferred.succeed(gate, undefined)
      assert.deepInclude(yield* s.awaitExit, { _tag: "Exited", code: 0 })
    }))

  it.scoped("seed: permission_handler_clones_arc; here a handler is a function, and any number of sessions share it", () =>
    Effect.gen(function*() {
      let calls = 0
      const onPermission: Permission.Handler = () =>
        Effect.sync(() => {
          calls++
          return Permission.allow()
        })
      const steps = [Script.reply(canUseTool("r1")), answered("r1", { behavior: "allow" }), Script.exit(0)]
      const sessions = [yield* over(steps, { onPermission }), yield* over(steps, { onPermission })]
      const exits = yield* Effect.forEach(sessions, ({ awaitExit }) => awaitExit)
      assert.deepStrictEqual(exits.map(TransportExit.isSuccess), [true, true])
      assert.strictEqual(calls, 2)
    }))
})

describe("answers to control requests", () => {
  it.scoped("seed: parse_control_response_extracts_success", () =>
    Effect.gen(function*() {
      const s = yield* over([asked("interrupt"), Script.reply(success({ still_queued: [] }))])
      assert.deepStrictEqual((yield* s.interrupt()).response, { still_queued: [] })
    }))

  it.scoped("seed: parse_control_response_extracts_error_with_message", () =>
    Effect.gen(function*() {
      const s = yield* over([
        asked("interrupt"),
        Script.reply({
          type: "control_response",
          response: { subtype: "error", request_id: Script.received("request_id"), error: "no turn in flight" }
        })
      ])
      const error = yield* Effect.flip(s.interrupt())
      assert.deepStrictEqual(error._tag === "ControlError" && [error.reason, error.detail], [
        "Refused",
        "no turn in flight"
      ])
    }))

  it.scoped("seed: parse_control_response_returns_none_on_missing_request_id; nobody's request is settled by it", () =>
    Effect.gen(function*() {
      const s = yield* over([
        asked("interrupt"),
        Script.replyUnchecked({ type: "control_response", response: { subtype: "success" } }),
        Script.reply(success({ still_queued: ["later"] }))
      ])
      assert.deepStrictEqual((yield* s.interrupt()).response, { still_queued: ["later"] })
    }))

  it.scoped("seed: parse_control_response_returns_none_on_unknown_subtype; here it fails its request, which would wait", () =>
    Effect.gen(function*() {
      const s = yield* over([
        asked("interrupt"),
        Script.replyUnchecked({
          type: "control_response",
          response: { request_id: Script.received("request_id"), subtype: "future_subtype" }
        })
      ])
      const error = yield* Effect.flip(s.interrupt())
      assert.strictEqual(error._tag === "ControlError" && error.reason, "Refused")
    }))
})

describe("whether it lives", () => {
  const completed: PeerExit = { _tag: "Exited", code: 0 }
  const failed: PeerExit = { _tag: "Exited", code: 1 }

  /** A session whose CLI lives until it is told how to end, and then says so on stderr. */
  const living = Effect.gen(function*() {
    const told = yield* Deferred.make<PeerExit>()
    const s = yield* session((peer) =>
      Effect.flatMap(
        Deferred.await(told),
        (how) => Effect.zipRight(peer.writeStderr(how === completed ? "" : "oh no"), peer.exit(how))
      )
    )
    return { ...s, end: (how: PeerExit) => Deferred.succeed(told, how) }
  })

  it.scoped("seed: is_alive_true_while_running", () =>
    Effect.gen(function*() {
      const { status } = yield* living
      assert.notStrictEqual((yield* status.get)._tag, "Closed")
    }))

  it.scoped("seed: is_alive_false_after_completed", () =>
    Effect.gen(function*() {
      const { awaitExit, end, status } = yield* living
      yield* end(completed)
      yield* awaitExit
      assert.strictEqual((yield* status.get)._tag, "Closed")
    }))

  it.scoped("seed: is_alive_false_after_failed", () =>
    Effect.gen(function*() {
      const { awaitExit, end, status } = yield* living
      yield* end(failed)
      yield* awaitExit
      assert.strictEqual((yield* status.get)._tag, "Closed")
    }))

  it.scoped("seed: exit_status_reports_running_initially; here with what it is doing", () =>
    Effect.gen(function*() {
      const s = yield* over([...turn("a"), Script.delay("1 hour")])
      assert.strictEqual((yield* s.status.get)._tag, "Starting")
      yield* s.send("a")
      assert.strictEqual((yield* s.status.get)._tag, "Idle")
    }))

  it.scoped("seed: exit_status_reflects_completed", () =>
    Effect.gen(function*() {
      const { awaitExit, end, status } = yield* living
      yield* end(completed)
      const exit = yield* awaitExit
      assert.deepStrictEqual(yield* status.get, { _tag: "Closed", exit })
      assert.deepInclude(exit, { _tag: "Exited", code: 0 })
    }))

  it.scoped("seed: exit_status_reflects_failed_with_message", () =>
    Effect.gen(function*() {
      const { awaitExit, end, status } = yield* living
      yield* end(failed)
      yield* awaitExit
      const now = yield* status.get
      assert.deepInclude(now._tag === "Closed" && now.exit, { _tag: "Exited", code: 1, stderr: "oh no" })
    }))

  it.scoped("seed: wait_for_exit_returns_immediately_when_already_terminal", () =>
    Effect.gen(function*() {
      const { awaitExit, end } = yield* living
      yield* end(completed)
      const first = yield* awaitExit
      assert.strictEqual(yield* awaitExit, first)
    }))

  it.scoped("seed: wait_for_exit_blocks_until_state_transitions", () =>
    Effect.gen(function*() {
      const { awaitExit, end } = yield* living
      const waiting = yield* Effect.fork(awaitExit)
      yield* Effect.yieldNow()
      assert.deepStrictEqual(yield* Fiber.poll(waiting), Option.none())
      yield* end(completed)
      assert.deepInclude(yield* Fiber.join(waiting), { _tag: "Exited", code: 0 })
    }))

  it.scoped("seed: wait_for_exit_supports_multiple_observers", () =>
    Effect.gen(function*() {
      const { awaitExit, end } = yield* living
      const waiting = yield* Effect.forkAll([awaitExit, awaitExit])
      yield* end(failed)
      const exits = yield* Fiber.join(waiting)
      assert.deepStrictEqual(exits.map(({ stderr }) => stderr), ["oh no", "oh no"])
    }))

  it.effect("seed: wait_for_exit_returns_last_value_when_sender_dropped; here the scope's end is an end like any other", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { awaitExit } = yield* Scope.extend(living, scope)
      const waiting = yield* Effect.fork(awaitExit)
      yield* Effect.yieldNow()
      yield* Scope.close(scope, Exit.void)
      assert.deepInclude(yield* Fiber.join(waiting), { _tag: "Signaled", signal: "SIGTERM" })
    }))
})

describe("options", () => {
  it.scoped("seed: into_args_does_not_emit_subscriber_capacity_flag; here it is each subscriber's, and the CLI is told nothing", () =>
    Effect.gen(function*() {
      const s = yield* over([Script.expectEnd(), Script.exit(0)])
      const events = yield* s.subscribe({ capacity: 64 })
      yield* s.endInput()
      assert.deepInclude(yield* s.awaitExit, { _tag: "Exited", code: 0 })
      assert.isAbove(yield* Stream.runCount(events), 0)
    }))
})

/** Every test of `duplex.rs`, by its name. */
const seeds = [
  "into_args_default_includes_required_flags",
  "into_args_includes_model",
  "into_args_includes_system_prompts",
  "into_args_appends_raw_args_last",
  "into_args_includes_resume_when_set",
  "into_args_omits_resume_by_default",
  "into_args_includes_continue_when_set",
  "into_args_omits_continue_by_default",
  "into_args_includes_worktree_flag_without_name",
  "into_args_includes_worktree_flag_with_name",
  "into_args_omits_worktree_by_default",
  "worktree_lands_before_additional_args",
  "into_args_includes_agent_when_set",
  "into_args_omits_agent_by_default",
  "into_args_includes_agents_json_when_set",
  "into_args_omits_agents_json_by_default",
  "agent_and_agents_json_compose",
  "agent_lands_before_additional_args",
  "agents_json_lands_before_additional_args",
  "resume_lands_before_additional_args",
  "turn_result_accessors_pull_from_result",
  "turn_result_total_cost_falls_back_to_legacy_field",
  "turn_result_accessors_return_none_when_missing",
  "handle_inbound_appends_non_result_to_pending_events",
  "handle_inbound_resolves_pending_on_result",
  "handle_inbound_drops_orphans_without_pending_turn",
  "handle_inbound_broadcasts_classified_event",
  "handle_inbound_does_not_broadcast_result",
  "classify_system_init_pulls_session_id",
  "classify_system_without_init_subtype_is_other",
  "classify_system_init_without_session_id_is_other",
  "classify_assistant_stream_event_user",
  "classify_unknown_type_is_other",
  "into_args_does_not_emit_subscriber_capacity_flag",
  "into_args_includes_permission_prompt_tool_when_handler_set",
  "into_args_omits_permission_prompt_tool_without_handler",
  "into_args_emits_permission_mode_flag",
  "into_args_emits_plan_mode",
  "into_args_omits_permission_mode_by_default",
  "into_args_emits_dangerously_skip_permissions_flag",
  "into_args_omits_dangerously_skip_by_default",
  "parse_permission_request_extracts_fields",
  "parse_permission_request_returns_none_when_missing_request_id",
  "parse_permission_request_returns_none_when_missing_tool_name",
  "parse_permission_request_handles_missing_input",
  "handle_inbound_returns_permission_for_can_use_tool",
  "handle_inbound_treats_unknown_control_request_as_other",
  "permission_handler_invokes_closure_async",
  "parse_control_response_extracts_success",
  "parse_control_response_extracts_error_with_message",
  "parse_control_response_returns_none_on_missing_request_id",
  "parse_control_response_returns_none_on_unknown_subtype",
  "handle_inbound_returns_control_response_action",
  "handle_inbound_treats_malformed_control_response_as_other",
  "permission_handler_clones_arc",
  "is_alive_true_while_running",
  "is_alive_false_after_completed",
  "is_alive_false_after_failed",
  "exit_status_reports_running_initially",
  "exit_status_reflects_completed",
  "exit_status_reflects_failed_with_message",
  "wait_for_exit_returns_immediately_when_already_terminal",
  "wait_for_exit_blocks_until_state_transitions",
  "wait_for_exit_supports_multiple_observers",
  "wait_for_exit_returns_last_value_when_sender_dropped"
]

/** Tests about arguments are where arguments are made. A table there has a test for each of its options. */
const argv = "transport-node/test/CliOptions.test.ts"
const nothing = "gives the protocol and the echo when nothing is set"
const rawLast = "puts raw arguments last, after everything that can be set"
const elsewhere: { readonly [seed: string]: readonly [file: string, ...texts: ReadonlyArray<string>] } = {
  into_args_default_includes_required_flags: [argv, nothing],
  into_args_includes_model: [argv, `model: [{ is: "opus", gives: ["--model=opus"] }]`],
  into_args_includes_system_prompts: [
    argv,
    `gives: ["--system-prompt=Be brief."]`,
    `gives: ["--append-system-prompt=And`
  ],
  into_args_appends_raw_args_last: [argv, rawLast],
  into_args_includes_resume_when_set: [argv, "resume: [{ is: uuid, gives: [`--resume=${uuid}`] }]"],
  into_args_omits_resume_by_default: [argv, nothing],
  into_args_includes_continue_when_set: [argv, `continue: [{ is: true, gives: ["--continue"] }`],
  into_args_omits_continue_by_default: [argv, nothing],
  into_args_includes_worktree_flag_without_name: [argv, `{ is: true, gives: ["--worktree"] }`],
  into_args_includes_worktree_flag_with_name: [argv, `{ is: "agent-xyz", gives: ["--worktree=agent-xyz"] }`],
  into_args_omits_worktree_by_default: [argv, nothing],
  worktree_lands_before_additional_args: [argv, rawLast],
  into_args_includes_agent_when_set: [argv, `agent: [{ is: "reviewer", gives: ["--agent=reviewer"] }]`],
  into_args_omits_agent_by_default: [argv, nothing],
  into_args_includes_agents_json_when_set: [argv, `gives: ["--agents={`],
  into_args_omits_agents_json_by_default: [argv, nothing],
  agent_and_agents_json_compose: [argv, `gives: ["--agent=reviewer", "--agents={`],
  agent_lands_before_additional_args: [argv, rawLast],
  agents_json_lands_before_additional_args: [argv, rawLast],
  resume_lands_before_additional_args: [argv, rawLast],
  // Not by itself when there is a handler: a transport knows no handlers. Without it there is a warning.
  into_args_includes_permission_prompt_tool_when_handler_set: [
    argv,
    `permissionPromptTool: [{ is: "stdio", gives: ["--permission-prompt-tool=stdio"] }]`
  ],
  into_args_omits_permission_prompt_tool_without_handler: [argv, nothing],
  into_args_emits_permission_mode_flag: [argv, "permissionMode: PermissionMode.literals.map("],
  into_args_emits_plan_mode: [argv, "permissionMode: PermissionMode.literals.map("],
  into_args_omits_permission_mode_by_default: [argv, nothing],
  into_args_emits_dangerously_skip_permissions_flag: [argv, `{ is: true, gives: ["--dangerously-skip-permissions"] }`],
  into_args_omits_dangerously_skip_by_default: [argv, nothing]
}

it("every test of the seed has its own here, or elsewhere", () => {
  const read = (file: string) => readFileSync(new URL(file, import.meta.url), "utf8")
  // All but the lists above, which name every one.
  const here = read("Seeds.test.ts").split("/** Every test of")[0] ?? ""
  assert.strictEqual(new Set(seeds).size, 65)
  for (const seed of seeds) {
    const [file, ...texts] = elsewhere[seed] ?? []
    if (file === undefined) assert.match(here, new RegExp(`\\b${seed}\\b`))
    else for (const text of texts) assert.include(read(`../../${file}`), text, seed)
  }
  assert.deepStrictEqual(Object.keys(elsewhere).filter((seed) => !seeds.includes(seed)), [])
})

/**
 * Every recording, played against a live session whose host is made of the same recording: it says what the recorded host
 * said, when that said it (once as much of the CLI's had come), and answers as that answered. What it writes is compared
 * with what was recorded, ids aside; what it saw is in the table.
 *
 * The table holds what is worth reading. That every frame is known, comes once and in order, and that nothing is left open,
 * is the same for all. What the same hosts see when something goes wrong is in `reliability/`, where they live.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, TestServices } from "effect"
import { play, type Played } from "../../../reliability/src/recorded/play.js"
import { field, isJson, type Json, type Recorded } from "../../../reliability/src/recorded/recordedHost.js"
import { names } from "../../../reliability/src/recorded/recordings.js"
import { type Seen, seen } from "../../../reliability/src/recorded/seen.js"

const expected: Record<string, Seen> = {
  "1.0.128/initialize-hooks": {
    turns: [`tool done: "hooked"`],
    called: "UserPromptSubmit PreToolUse PostToolUse Stop",
    exit: "0"
  },
  "1.0.128/interrupt": {
    turns: ["error_during_execution | interrupted", "echo: SLOW please take your time with a long long answer tha…"],
    answered: "interrupt",
    exit: "0"
  },
  "1.0.128/permission-allow": { turns: [`tool done: ""`], permissions: ["Bash: Answered allow"], exit: "0" },
  "1.0.128/plain": { turns: ["echo: hello", "echo: second turn"], exit: "0" },
  "1.0.128/queue-midturn": {
    turns: ["echo: SLOW first one that takes a while", "echo: second", "echo: third"],
    exit: "0"
  },
  "1.0.128/sdk-mcp": {
    turns: [`tool done: [{"type":"text","text":"42"}]`],
    permissions: ["mcp__calc__add: Answered allow"],
    called: "initialize notifications/initialized tools/list tools/call",
    answered: "mcp_status",
    exit: "0"
  },
  "2.1.143/initialize-hooks": {
    turns: [`tool done: "hooked"`],
    called: "UserPromptSubmit PreToolUse PostToolUse Stop",
    exit: "0"
  },
  "2.1.143/interrupt": {
    turns: [
      "error_during_execution | interrupted | [ede_diagnostic] result_type=user last_content_type=n/a stop…",
      "echo: [Request interrupted by user]"
    ],
    answered: "interrupt",
    exit: "0"
  },
  "2.1.143/permission-allow": {
    turns: [`tool done: "(Bash completed with no output)"`],
    permissions: ["Bash: Answered allow"],
    exit: "0"
  },
  "2.1.143/plain": { turns: ["echo: hello", "echo: second turn"], exit: "0" },
  "2.1.143/queue-midturn": {
    turns: ["echo: SLOW first one that takes a while", "echo: second", "echo: second"],
    exit: "0"
  },
  "2.1.143/queue-midturn-replay": {
    turns: ["echo: SLOW first one that takes a while", "echo: second", "echo: second"],
    exit: "0"
  },
  "2.1.143/sdk-mcp": {
    turns: [`tool done: [{"type":"text","text":"42"}]`],
    permissions: ["mcp__calc__add: Answered allow"],
    called: "initialize notifications/initialized tools/list tools/call",
    answered: "mcp_status",
    exit: "0"
  },
  "2.1.326/api-400": { turns: ["success | API Error: 400 scripted failure 400"], exit: "1" },
  "2.1.326/api-401": { turns: ["fails: SessionClosed"], exit: "SIGKILL" },
  "2.1.326/background": {
    turns: [`tool done: "Command running in background with ID: b1s2lzvd6…`],
    nobodys: ["Origin: echo: "],
    exit: "0"
  },
  "2.1.326/background-race": {
    turns: [`tool done: "Command running in background with ID: buqhjj1ha…`, "echo: SLOW racing with the notification"],
    nobodys: ["Origin: echo: "],
    exit: "0"
  },
  "2.1.326/bad-control-response-in": {
    turns: ["echo: still there?"],
    unsaid: ["an answer to nothing: PermissionNotPending"],
    exit: "0"
  },
  "2.1.326/bad-flag": { turns: ["fails: SessionClosed"], exit: "1" },
  "2.1.326/bad-user-in": {
    turns: ["fails: SessionClosed"],
    unsaid: ["a message that is none: EncodeError"],
    exit: "1"
  },
  "2.1.326/cancel-own": {
    turns: ["echo: hi"],
    failed: ["get_context_usage: interrupted"],
    exit: "0"
  },
  "2.1.326/commands": {
    turns: ["echo: hello", "(text)", "(text)", "echo: /no-such-command", "echo: goodbye"],
    exit: "0"
  },
  "2.1.326/compaction": {
    turns: ["echo: remember the heron", "done: (Bash completed with no output)", "", "echo: again"],
    permissions: ["Bash: Answered allow"],
    exit: "0"
  },
  "2.1.326/controls": {
    turns: ["echo: done"],
    answered: "set_model set_permission_mode set_max_thinking_tokens mcp_status get_context_usage " +
      "get_session_cost list_models get_usage get_binary_version file_suggestions read_file " +
      "rename_session get_settings get_hooks_listing list_permission_rules reload_plugins " +
      "reload_skills reload_output_styles apply_flag_settings update_settings mcp_set_servers " +
      "rewind_files seed_read_state cancel_async_message stop_task background_tasks " +
      "set_has_subscribers",
    failed: [
      "set_color: Unsupported control request subtype: set_color",
      "mcp_reconnect: Server not found: none",
      "mcp_toggle: Server not found: none",
      "get_task_output: get_task_output: no shell or Monitor task with that task_id in this session",
      "mcp_call: Not a fully-qualified MCP tool name: x"
    ],
    unsaid: ["register_repo_root: EncodeError", "future_subtype_xyz: EncodeError", "can_use_tool: EncodeError"],
    exit: "0"
  },
  "2.1.326/eof-midturn": { turns: ["echo: SLOW a few words only here"], exit: "0" },
  "2.1.326/image": { turns: ["echo: look"], exit: "0" },
  "2.1.326/initialize-hooks": {
    turns: [`tool done: "hooked"`],
    called: "UserPromptSubmit PreToolUse PostToolUse Stop",
    exit: "0"
  },
  "2.1.326/interrupt": {
    turns: [
      "error_during_execution | interrupted | [ede_diagnostic] result_type=user last_content_type=n/a stop…",
      "echo: [Request interrupted by user]"
    ],
    answered: "interrupt",
    exit: "0"
  },
  "2.1.326/interrupt-idle": { turns: ["echo: hi"], answered: "interrupt", exit: "0" },
  "2.1.326/kill-midturn": { turns: ["fails: SessionClosed"], exit: "143" },
  "2.1.326/malformed-in": { turns: ["fails: SessionClosed"], unsaid: ["text: no way to say it"], exit: "1" },
  "2.1.326/max-turns": { turns: ["error_max_turns | Reached maximum number of turns (1)"], exit: "1" },
  "2.1.326/multi-turn": {
    turns: ["tool done: 42", "tool done: made", "echo: goodbye"],
    permissions: ["mcp__calc__add: Answered allow", "Bash: Answered allow"],
    called: "initialize notifications/initialized tools/list UserPromptSubmit PreToolUse tools/call " +
      "PostToolUse Stop UserPromptSubmit PreToolUse PostToolUse Stop UserPromptSubmit Stop",
    exit: "0"
  },
  "2.1.326/no-handler": { turns: [`tool done: "touch in '/home/dev/project/made4.txt' needs app…`], exit: "0" },
  "2.1.326/perm-error": {
    turns: [`tool done: "Tool permission request failed: Error: handler f…`],
    permissions: ["Bash: Answered error"],
    exit: "0"
  },
  "2.1.326/perm-interrupt": {
    turns: ["error_during_execution | interrupted | [ede_diagnostic] result_type=user last_content_type=n/a stop…"],
    permissions: ["Bash: Answered deny interrupt"],
    exit: "1"
  },
  "2.1.326/perm-pending-interrupt": {
    turns: ["error_during_execution | interrupted | [ede_diagnostic] result_type=user last_content_type=n/a stop…"],
    permissions: ["Bash: Withdrawn"],
    answered: "interrupt",
    exit: "1"
  },
  "2.1.326/permission-allow": {
    turns: [`tool done: "(Bash completed with no output)"`],
    permissions: ["Bash: Answered allow"],
    exit: "0"
  },
  "2.1.326/permission-deny": {
    turns: [`tool done: "bash is denied"`],
    permissions: ["Bash: Answered deny"],
    exit: "0"
  },
  "2.1.326/permission-noinit-allow-noupdated": {
    turns: [`tool done: "(Bash completed with no output)"`],
    permissions: ["Bash: Answered allow"],
    exit: "0"
  },
  "2.1.326/plain": { turns: ["echo: hello", "echo: second turn"], exit: "0" },
  "2.1.326/queue-midturn": {
    turns: ["echo: SLOW first one that takes a while", "echo: second", "echo: second"],
    exit: "0"
  },
  "2.1.326/queue-two": { turns: ["echo: first", "echo: second"], exit: "0" },
  "2.1.326/resume": { turns: ["echo: again"], exit: "0" },
  "2.1.326/sdk-mcp": {
    turns: [`tool done: [{"type":"text","text":"42"}]`],
    permissions: ["mcp__calc__add: Answered allow"],
    called: "initialize notifications/initialized tools/list tools/call",
    answered: "mcp_status",
    exit: "0"
  },
  "2.1.326/session-id": { turns: ["echo: remember me"], exit: "0" },
  "2.1.326/subagent": { turns: ["(text)", "echo: next"], nobodys: ["Origin: echo: "], exit: "0" },
  "2.1.326/thinking": { turns: ["echo: THINK hard"], exit: "0" },
  "2.1.326/tour": {
    turns: [
      "One process, held open. Your program writes one JSON object …",
      "Done. hello.txt has one line in it, and you have seen how it…",
      "error_during_execution | interrupted | [ede_diagnostic] result_type=user last_content_type=n/a stop…"
    ],
    permissions: ["Bash: Answered allow"],
    answered: "interrupt",
    exit: "0"
  },
  "2.1.326/tour-denied": {
    turns: ["Then I leave it. Nothing was run and no file was written; th…"],
    permissions: ["Bash: Answered deny"],
    exit: "0"
  },
  "2.1.326/unknown-type-in": { turns: ["echo: still there?"], unsaid: ["weird_type: no way to say it"], exit: "0" }
}

/** What the live host wrote, and which of its ids stands for which recorded one. */
const idsOf = (recorded: Recorded, written: ReadonlyArray<Json>): ReadonlyMap<unknown, unknown> => {
  const idsIn = (frames: ReadonlyArray<unknown>, type: string, id: string) =>
    frames.flatMap((frame) => field(frame, "type") === type ? [field(frame, id)] : [])
  const frames = recorded.steps.map(({ frame }) => frame)
  const pairs = (type: string, id: string) => {
    const live = idsIn(written, type, id)
    return idsIn(frames, type, id).map((recordedId, i) => [recordedId, live[i]] as const)
  }
  return new Map([...pairs("user", "uuid"), ...pairs("control_request", "request_id")])
}

/** Recorded JSON with the live host's ids. */
const withIds = (value: unknown, ids: ReadonlyMap<unknown, unknown>): unknown =>
  typeof value === "string"
    ? ids.get(value) ?? value
    : Array.isArray(value)
    ? value.map((item) => withIds(item, ids))
    : isJson(value)
    ? Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, withIds(inside, ids)]))
    : value

/** What is the same for every recording. */
const assertSound = (played: Played): void => {
  const { answers, ended, events, recorded, requests, results, turns, written } = played
  // It said what was recorded, was refused nothing, and was at rest in the end.
  assert.isTrue(Exit.isSuccess(played.outcome), String(played.outcome))
  assert.deepStrictEqual(played.refused, [])
  assert.isFalse(played.forced)
  const ids = idsOf(recorded, written)
  const received = events.flatMap((event) => event._tag === "Received" ? [event.item] : [])
  // Each once, in order, and known: an unknown one would be wrapped.
  assert.deepStrictEqual<unknown>(received, withIds(recorded.cli, ids))

  // A decoded answer is the recorded one, with what its schema does not know.
  answers.forEach((answer, i) => {
    const response = recorded.cli.find((frame) => field(frame, "response", "request_id") === requests[i]?.id)
    const whole = withIds(field(response, "response", "response") ?? {}, ids)
    if (Exit.isSuccess(answer)) assert.deepStrictEqual(answer.value, whole)
  })

  results.forEach((result, i) => {
    const id = turns[i]?.id ?? ""
    const endings = events.filter((event) => event._tag === "TurnEnded" && event.messages.includes(id))
    assert.strictEqual(endings.length, Exit.isSuccess(result) ? 1 : 0)
    if (Exit.isSuccess(result)) assert.strictEqual(result.value.frames.at(-1), result.value.frame)
  })

  assert.deepStrictEqual(events.filter(({ _tag }) => _tag === "Ended"), events.slice(-1))
  assert.deepStrictEqual(ended.pending, {
    messages: turns.flatMap(({ id }, i) => results[i]?._tag === "Failure" ? [id] : []),
    held: [],
    asked: [],
    asking: []
  })
}

describe("a session replays", () => {
  it("every recording there is", () => {
    assert.deepStrictEqual(names, Object.keys(expected).sort())
  })

  for (const name of names) {
    it.scoped(name, () =>
      Effect.gen(function*() {
        const played = yield* TestServices.provideWithLive(play(name), Effect.timeout("1 minute"))
        assert.deepStrictEqual(seen(played), expected[name])
        assertSound(played)
      }))
  }
})

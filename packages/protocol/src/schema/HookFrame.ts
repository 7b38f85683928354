/**
 * `system` frames about hooks that run outside the host (shell commands of the settings files). Hooks of the host come
 * as `hook_callback` requests instead: see `Hook`.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonNumber } from "./Json.js"
import * as Open from "./Open.js"

/** `system/hook_started`. */
export const HookStartedFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("hook_started"),
  hook_id: Schema.String,
  hook_name: Schema.String,
  hook_event: Schema.String,
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "HookStartedFrame" })
export interface HookStartedFrame extends Schema.Schema.Type<typeof HookStartedFrame> {}

/** `system/hook_progress`: what a hook printed so far. */
export const HookProgressFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("hook_progress"),
  hook_id: Schema.String,
  hook_name: Schema.String,
  hook_event: Schema.String,
  stdout: Schema.String,
  stderr: Schema.String,
  output: Schema.String,
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "HookProgressFrame" })
export interface HookProgressFrame extends Schema.Schema.Type<typeof HookProgressFrame> {}

/** `system/hook_response`: a hook ended. */
export const HookResponseFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("hook_response"),
  hook_id: optional(Schema.String),
  hook_name: Schema.String,
  hook_event: Schema.String,
  output: optional(Schema.String),
  stdout: Schema.String,
  stderr: Schema.String,
  exit_code: optional(JsonNumber),
  outcome: optional(Open.literal("success", "error", "cancelled")),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "HookResponseFrame" })
export interface HookResponseFrame extends Schema.Schema.Type<typeof HookResponseFrame> {}

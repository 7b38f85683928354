/**
 * `system` frames about background tasks: shells, subagents and workflows that outlive the call that started them.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonNumber, JsonObject } from "./Json.js"
import * as Open from "./Open.js"

/** What a task used so far. */
export const TaskUsage = Schema.Struct({
  total_tokens: JsonNumber,
  tool_uses: JsonNumber,
  duration_ms: JsonNumber
}).annotations({ identifier: "TaskUsage" })
export interface TaskUsage extends Schema.Schema.Type<typeof TaskUsage> {}

/** A background task, as `Stop` hooks see it. */
export const BackgroundTaskSummary = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  status: Schema.String,
  description: Schema.String,
  command: optional(Schema.String),
  agent_type: optional(Schema.String),
  server: optional(Schema.String),
  tool: optional(Schema.String),
  name: optional(Schema.String)
}).annotations({ identifier: "BackgroundTaskSummary" })
export interface BackgroundTaskSummary extends Schema.Schema.Type<typeof BackgroundTaskSummary> {}

/** A scheduled prompt, as `Stop` hooks see it. */
export const SessionCronSummary = Schema.Struct({
  id: Schema.String,
  schedule: Schema.String,
  recurring: Schema.Boolean,
  prompt: Schema.String
}).annotations({ identifier: "SessionCronSummary" })
export interface SessionCronSummary extends Schema.Schema.Type<typeof SessionCronSummary> {}

/** A link to an MCP resource that a task produced. */
export const McpResourceLink = Schema.Struct({
  uri: Schema.String,
  name: Schema.String,
  title: optional(Schema.String),
  description: optional(Schema.String),
  mimeType: optional(Schema.String),
  size: optional(JsonNumber),
  annotations: optional(JsonObject)
}).annotations({ identifier: "McpResourceLink" })
export interface McpResourceLink extends Schema.Schema.Type<typeof McpResourceLink> {}

/** `system/background_tasks_changed`: all tasks that run now. */
export const BackgroundTasksChangedFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("background_tasks_changed"),
  tasks: Schema.Array(Schema.Struct({
    task_id: Schema.String,
    run_id: optional(Schema.String),
    task_type: Schema.String,
    subagent_type: optional(Schema.String),
    description: Schema.String,
    parent_task_id: optional(Schema.String),
    ambient: optional(Schema.Boolean)
  })),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "BackgroundTasksChangedFrame" })
export interface BackgroundTasksChangedFrame extends Schema.Schema.Type<typeof BackgroundTasksChangedFrame> {}

/** `system/task_started`. */
export const TaskStartedFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("task_started"),
  task_id: Schema.String,
  run_id: optional(Schema.String),
  tool_use_id: optional(Schema.String),
  description: Schema.String,
  subagent_type: optional(Schema.String),
  is_backgrounded: optional(Schema.Boolean),
  spawn_depth: optional(JsonNumber),
  parent_task_id: optional(Schema.String),
  task_type: optional(Schema.String),
  workflow_name: optional(Schema.String),
  prompt: optional(Schema.String),
  skip_transcript: optional(Schema.Boolean),
  ambient: optional(Schema.Boolean),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "TaskStartedFrame" })
export interface TaskStartedFrame extends Schema.Schema.Type<typeof TaskStartedFrame> {}

/** `system/task_progress`. */
export const TaskProgressFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("task_progress"),
  task_id: Schema.String,
  run_id: optional(Schema.String),
  tool_use_id: optional(Schema.String),
  description: Schema.String,
  subagent_type: optional(Schema.String),
  usage: TaskUsage,
  last_tool_name: optional(Schema.String),
  summary: optional(Schema.String),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "TaskProgressFrame" })
export interface TaskProgressFrame extends Schema.Schema.Type<typeof TaskProgressFrame> {}

/** `system/task_updated`: the fields of a task that changed. */
export const TaskUpdatedFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("task_updated"),
  task_id: Schema.String,
  run_id: optional(Schema.String),
  patch: Schema.Struct({
    status: optional(Open.literal("pending", "failed", "completed", "running", "killed", "paused")),
    description: optional(Schema.String),
    end_time: optional(JsonNumber),
    total_paused_ms: optional(JsonNumber),
    error: optional(Schema.String),
    is_backgrounded: optional(Schema.Boolean)
  }),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "TaskUpdatedFrame" })
export interface TaskUpdatedFrame extends Schema.Schema.Type<typeof TaskUpdatedFrame> {}

/** `system/task_notification`: a task ended. The CLI then starts a turn that nobody sent. */
export const TaskNotificationFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("task_notification"),
  task_id: Schema.String,
  run_id: optional(Schema.String),
  tool_use_id: optional(Schema.String),
  status: Open.literal("failed", "completed", "stopped"),
  reason: optional(Open.literal("worker_restart")),
  output_file: Schema.String,
  summary: Schema.String,
  summary_is_report: optional(Schema.Boolean),
  usage: optional(TaskUsage),
  resource_links: optional(Schema.Array(McpResourceLink)),
  skip_transcript: optional(Schema.Boolean),
  ambient: optional(Schema.Boolean),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "TaskNotificationFrame" })
export interface TaskNotificationFrame extends Schema.Schema.Type<typeof TaskNotificationFrame> {}

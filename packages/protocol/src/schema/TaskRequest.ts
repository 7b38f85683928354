/**
 * Control requests about background tasks.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonNumber } from "./Json.js"

/** Stops a background task. */
export const StopTaskRequest = Schema.Struct({
  subtype: Schema.Literal("stop_task"),
  task_id: Schema.String
}).annotations({ identifier: "StopTaskRequest" })
export interface StopTaskRequest extends Schema.Schema.Type<typeof StopTaskRequest> {}

/** Moves running tool calls to the background. */
export const BackgroundTasksRequest = Schema.Struct({
  subtype: Schema.Literal("background_tasks"),
  tool_use_id: optional(Schema.String)
}).annotations({ identifier: "BackgroundTasksRequest" })
export interface BackgroundTasksRequest extends Schema.Schema.Type<typeof BackgroundTasksRequest> {}

/** Asks what a task printed. */
export const GetTaskOutputRequest = Schema.Struct({
  subtype: Schema.Literal("get_task_output"),
  task_id: Schema.String
}).annotations({ identifier: "GetTaskOutputRequest" })
export interface GetTaskOutputRequest extends Schema.Schema.Type<typeof GetTaskOutputRequest> {}

/** What a task printed. */
export const GetTaskOutputResponse = Schema.Struct({
  output: Schema.String,
  total_bytes: JsonNumber,
  truncated: Schema.Boolean
}).annotations({ identifier: "GetTaskOutputResponse" })
export interface GetTaskOutputResponse extends Schema.Schema.Type<typeof GetTaskOutputResponse> {}

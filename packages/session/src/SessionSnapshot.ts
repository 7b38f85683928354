/**
 * The state of a session at one moment, as plain data: what a subscriber has to know to go on without the events before.
 *
 * @since 0.1.0
 * @stability experimental
 */
import { JsonNumber, JsonObject } from "@claude-duplex/protocol/schema/Json"
import { CanUseToolRequest, PermissionUpdate } from "@claude-duplex/protocol/schema/PermissionRequest"
import { ModelUsageByName } from "@claude-duplex/protocol/schema/Usage"
import { Warning } from "@claude-duplex/protocol/Warning"
import * as Schema from "effect/Schema"
import { SessionStatus } from "./SessionStatus.js"

/** An open permission request: `Permission.Request`. */
export const OpenPermission = Schema.Struct({
  id: Schema.String,
  toolName: Schema.String,
  input: JsonObject,
  suggestions: Schema.Array(PermissionUpdate),
  raw: CanUseToolRequest
}).annotations({ identifier: "OpenPermission" })

/** A turn that runs. No `messages`: the CLI started it. */
export const RunningTurn = Schema.Struct({
  turn: JsonNumber,
  messages: Schema.Array(Schema.String)
}).annotations({ identifier: "RunningTurn" })
export interface RunningTurn extends Schema.Schema.Type<typeof RunningTurn> {}

/** A message that has not ended, and how far it has come. */
export const OpenMessage = Schema.Struct({
  id: Schema.String,
  phase: Schema.Literal("Held", "Written", "Queued", "Started")
}).annotations({ identifier: "OpenMessage" })
export interface OpenMessage extends Schema.Schema.Type<typeof OpenMessage> {}

/**
 * The state of a session at one moment.
 *
 * @example
 * ```ts
 * import type { SessionSnapshot } from "@claude-duplex/session/SessionSnapshot"
 *
 * const title = ({ cost, permissions, status }: SessionSnapshot) =>
 *   `${status._tag}, ${permissions.length} permission requests, $${cost.usd}`
 * ```
 */
export const SessionSnapshot = Schema.Struct({
  status: SessionStatus,
  /** The CLI's id of the conversation; null until the CLI reported it. */
  sessionId: Schema.NullOr(Schema.String),
  /** The turn that runs; null between turns. */
  turn: Schema.NullOr(RunningTurn),
  /** The messages that have not ended, oldest first. */
  messages: Schema.Array(OpenMessage),
  /** The open permission requests, oldest first. */
  permissions: Schema.Array(OpenPermission),
  /** The cost of all turns so far. */
  cost: Schema.Struct({ usd: JsonNumber, byModel: ModelUsageByName }),
  /** The warnings so far. */
  warnings: Schema.Array(Warning)
}).annotations({ identifier: "SessionSnapshot" })
export interface SessionSnapshot extends Schema.Schema.Type<typeof SessionSnapshot> {}

/**
 * What a session is doing, at a glance.
 *
 * @since 0.1.0
 * @stability stable
 */
import { SessionExit } from "@claude-duplex/protocol/SessionExit"
import * as Schema from "effect/Schema"

/**
 * What a session is doing.
 *
 * - `Starting`: the CLI has not reported what it is yet.
 * - `Idle`: no turn runs.
 * - `Running`: a turn runs, or a message waits for one.
 * - `WaitingForPermission`: a tool waits for a decision.
 * - `Restarting`: the CLI ended unasked, and another one is being started.
 * - `Closing`: nothing more can be sent; the CLI is ending.
 * - `Closed`: the session has ended.
 */
export const SessionStatus = Schema.Union(
  Schema.TaggedStruct("Starting", {}),
  Schema.TaggedStruct("Idle", {}),
  Schema.TaggedStruct("Running", {}),
  Schema.TaggedStruct("WaitingForPermission", {}),
  Schema.TaggedStruct("Restarting", {}),
  Schema.TaggedStruct("Closing", {}),
  Schema.TaggedStruct("Closed", { exit: SessionExit })
).annotations({ identifier: "SessionStatus" })
export type SessionStatus = typeof SessionStatus.Type

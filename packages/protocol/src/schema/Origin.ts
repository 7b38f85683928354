/**
 * Who started a turn or wrote a message. A `result` whose origin is not the host's is nobody's: see `SessionMachine`.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonNumber } from "./Json.js"
import * as Open from "./Open.js"

/** A person at the host. */
export const HumanOrigin = Schema.Struct({ kind: Schema.Literal("human") }).annotations({ identifier: "HumanOrigin" })
export interface HumanOrigin extends Schema.Schema.Type<typeof HumanOrigin> {}

/** A message from a channel server. */
export const ChannelOrigin = Schema.Struct({
  kind: Schema.Literal("channel"),
  server: Schema.String
}).annotations({ identifier: "ChannelOrigin" })
export interface ChannelOrigin extends Schema.Schema.Type<typeof ChannelOrigin> {}

/** Another session. */
export const PeerOrigin = Schema.Struct({
  kind: Schema.Literal("peer"),
  from: Schema.String,
  fromMode: optional(Open.literal("bypass", "prompting")),
  name: optional(Schema.String),
  fromSession: optional(Schema.String),
  senderTaskId: optional(Schema.String),
  body: optional(Schema.String),
  verifiedPeerPid: optional(JsonNumber)
}).annotations({ identifier: "PeerOrigin" })
export interface PeerOrigin extends Schema.Schema.Type<typeof PeerOrigin> {}

/** A background task or a schedule. */
export const TaskNotificationOrigin = Schema.Struct({
  kind: Schema.Literal("task-notification"),
  subkind: optional(Open.literal("scheduled-trigger", "peer-send-message", "projects-relay", "session-inbox")),
  fireReason: optional(Schema.String),
  runId: optional(Schema.String),
  producer: optional(Schema.String)
}).annotations({ identifier: "TaskNotificationOrigin" })
export interface TaskNotificationOrigin extends Schema.Schema.Type<typeof TaskNotificationOrigin> {}

/** The coordinator of a team of agents. */
export const CoordinatorOrigin = Schema.Struct({ kind: Schema.Literal("coordinator") }).annotations({
  identifier: "CoordinatorOrigin"
})
export interface CoordinatorOrigin extends Schema.Schema.Type<typeof CoordinatorOrigin> {}

/** Nobody the CLI could name. */
export const UnclassifiedOrigin = Schema.Struct({ kind: Schema.Literal("unclassified") }).annotations({
  identifier: "UnclassifiedOrigin"
})
export interface UnclassifiedOrigin extends Schema.Schema.Type<typeof UnclassifiedOrigin> {}

/** An observing agent that speaks up. */
export const ObserverOrigin = Schema.Struct({
  kind: Schema.Literal("observer"),
  from: Schema.String,
  senderTaskId: Schema.String
}).annotations({ identifier: "ObserverOrigin" })
export interface ObserverOrigin extends Schema.Schema.Type<typeof ObserverOrigin> {}

/** The CLI itself, going on where it stopped. */
export const AutoContinuationOrigin = Schema.Struct({ kind: Schema.Literal("auto-continuation") }).annotations({
  identifier: "AutoContinuationOrigin"
})
export interface AutoContinuationOrigin extends Schema.Schema.Type<typeof AutoContinuationOrigin> {}

/** What an observing agent did. */
export const ObserverActivityOrigin = Schema.Struct({ kind: Schema.Literal("observer-activity") }).annotations({
  identifier: "ObserverActivityOrigin"
})
export interface ObserverActivityOrigin extends Schema.Schema.Type<typeof ObserverActivityOrigin> {}

/** Who started a turn or wrote a message. */
export const Origin = Open.union("kind", [
  HumanOrigin,
  ChannelOrigin,
  PeerOrigin,
  TaskNotificationOrigin,
  CoordinatorOrigin,
  UnclassifiedOrigin,
  ObserverOrigin,
  AutoContinuationOrigin,
  ObserverActivityOrigin
]).annotations({ identifier: "Origin" })
export type Origin = typeof Origin.Type

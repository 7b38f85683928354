/**
 * What all sessions of a process count, as Effect metrics: read them with `Metric.value`, or export them with the rest of
 * yours. Nothing of what is said is in them.
 *
 * @since 0.1.0
 * @stability experimental
 */
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"

const millis = MetricBoundaries.exponential({ start: 1, factor: 4, count: 12 })

/** Live sessions. */
export const sessions = Metric.gauge("claude_duplex_sessions", { description: "Live sessions" })

/** Frames that were received, known or not. */
export const framesReceived = Metric.counter("claude_duplex_frames_received", {
  description: "Frames received from the CLI",
  incremental: true
})

/** Frames that this version does not know, or not in this shape. */
export const framesUnknown = Metric.counter("claude_duplex_frames_unknown", {
  description: "Frames of unknown type or unexpected shape",
  incremental: true
})

/** Lines that are no frames. */
export const linesUndecodable = Metric.counter("claude_duplex_lines_undecodable", {
  description: "Lines that are not JSON, not UTF-8, too long or cut",
  incremental: true
})

/** Turns that ended, by the tag `outcome`: `success`, `error`, `interrupted`, `unsolicited`. */
export const turns = Metric.counter("claude_duplex_turns", { description: "Turns that ended", incremental: true })

/** How long messages waited for their results. */
export const turnMillis = Metric.histogram("claude_duplex_turn_millis", millis, "From a message to its result")

/** Messages that failed, by the tag `reason`: the tag of the error. */
export const messagesFailed = Metric.counter("claude_duplex_messages_failed", {
  description: "Messages without a result",
  incremental: true
})

/** Control requests of the host's, by the tags `subtype` and `outcome`. */
export const controlRequests = Metric.counter("claude_duplex_control_requests", {
  description: "Control requests of the host's that were settled",
  incremental: true
})

/** How long handlers of the host's took, by the tag `subtype`. */
export const handlerMillis = Metric.histogram("claude_duplex_handler_millis", millis, "Handlers of the host's")

/** Frames that slow subscribers lost. */
export const eventsLost = Metric.counter("claude_duplex_events_lost", {
  description: "Frames that slow subscribers lost",
  incremental: true
})

/** Subscriptions that failed with `SubscriptionOverflow`. */
export const subscriptionOverflows = Metric.counter("claude_duplex_subscription_overflows", {
  description: "Subscriptions that failed because the subscriber was too slow",
  incremental: true
})

/** How often a CLI was started again. */
export const restarts = Metric.counter("claude_duplex_restarts", {
  description: "CLIs that were started again",
  incremental: true
})

/** How often the watchdog found a silent CLI. */
export const stalls = Metric.counter("claude_duplex_stalls", {
  description: "Turns in which the CLI fell silent",
  incremental: true
})

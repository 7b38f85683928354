/**
 * What the session machine remembers. Owns the fields behind the opaque `SessionMachine.State`; the transitions between them
 * are all in `SessionMachine`.
 */
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Cost from "../Cost.js"
import type { Unknown } from "../Frame.js"
import type { CliRequest } from "../schema/CliRequest.js"
import type { HostRequest } from "../schema/HostRequest.js"
import type { ResultFrame } from "../schema/ResultFrame.js"
import type { HostUserFrame } from "../schema/UserFrame.js"
import type { Write } from "../SessionAction.js"
import type { ResultSummary, SessionExit } from "../SessionExit.js"
import type { Options, State, Turn } from "../SessionMachine.js"

/** A message that was written and waits for its result. */
export interface Message {
  readonly id: string
  readonly uuid: string | undefined
  /** The `kind` of the origin that it was sent with. */
  readonly origin: string | undefined
  readonly phase: "Written" | "Queued" | "Started"
  /** The CLI reported it as completed. */
  readonly completed: boolean
  /** The CLI echoed it since the last result. */
  readonly echoed: boolean
  /** A turn ended since it was written: the message was queued behind that turn. */
  readonly queuedBehind: boolean
  /** The last turn that may have been for it. */
  readonly candidate: EndedTurn | undefined
  /** When it ends without a result of its own, if the CLI is at rest then: with the candidate's result, or with none. */
  readonly settleAt: number | undefined
}

/** A turn that ended. */
export interface EndedTurn {
  readonly turn: number
  readonly result: ResultFrame | Unknown
}

/** A message that is held until the session is not busy any more. */
export interface HeldMessage {
  readonly id: string
  readonly frame: HostUserFrame
  /** It waits for a process only, and not for the end of a turn. */
  readonly isUrgent: boolean
}

/** The running turn. */
export interface RunningTurn extends Turn {
  /**
   * Until when it keeps new messages back if no message waits: `Infinity` for until its end, `undefined` if it does not. A turn
   * of which an `init` and something else have come blocks until its end.
   */
  readonly blocksUntil: number | undefined
}

/** Everything that the machine remembers. Immutable. */
export interface SessionState {
  readonly options: Options | undefined
  readonly settleMillis: number
  /** Whether there is a process to write to. Messages are held until there is one. */
  readonly isConnected: boolean
  /** Requests of the host that wait for a process. */
  readonly unwritten: ReadonlyArray<Write>
  /** The version is that of the process before. */
  readonly isVersionInherited: boolean
  /** The CLI answered `initialize`. */
  readonly isInitialized: boolean
  readonly exit: SessionExit | undefined
  readonly sessionId: string | undefined
  readonly version: string | undefined
  /** Open requests of the host, by id. */
  readonly hostRequests: ReadonlyMap<string, HostRequest>
  /** Open requests of the CLI, by id. */
  readonly cliRequests: ReadonlyMap<string, CliRequest>
  /** Ids of requests of the CLI that ended: the last {@link remembered} of them. */
  readonly settled: ReadonlyArray<string>
  readonly messages: ReadonlyArray<Message>
  /** Uuids of messages that ended: the last {@link remembered} of them. */
  readonly endedMessages: ReadonlyArray<string>
  readonly held: Chunk.Chunk<HeldMessage>
  /** A message that starts a turn was written to this process. */
  readonly promptWritten: boolean
  readonly turn: RunningTurn | undefined
  /** The number of turns that began, in all processes of the conversation. */
  readonly turns: number
  /** Uuids of results: the last {@link remembered} of them. */
  readonly results: ReadonlyArray<string>
  /** What this CLI was observed to report about messages. */
  readonly observedFeatures: { readonly echo: "Unknown" | "Expected" | "Seen"; readonly lifecycle: boolean }
  /** The CLI echoed a message that has ended: the running turn is for none that waits. */
  readonly echoedEnded: boolean
  readonly totals: Cost.Cost
  readonly lastResult: ResultSummary | undefined
}

/**
 * How many ended requests, messages and results are remembered, to recognize a repeated one. A repetition comes soon after
 * the original, and each list is copied for every new entry.
 */
export const remembered = 64

/** Adds an id to a list of remembered ones. */
export const remember = (known: ReadonlyArray<string>, id: string): ReadonlyArray<string> =>
  (known.length < remembered ? known : known.slice(1)).concat(id)

/** The state at the beginning of a conversation. */
export const initial = (options?: Options): SessionState => ({
  options,
  settleMillis: Duration.toMillis(options?.settleTime ?? "5 seconds"),
  isConnected: true,
  unwritten: [],
  isVersionInherited: false,
  isInitialized: false,
  exit: undefined,
  sessionId: undefined,
  version: undefined,
  hostRequests: new Map(),
  cliRequests: new Map(),
  settled: [],
  messages: [],
  endedMessages: [],
  held: Chunk.empty(),
  promptWritten: false,
  turn: undefined,
  turns: 0,
  results: [],
  observedFeatures: { echo: options?.replayUserMessages === true ? "Expected" : "Unknown", lifecycle: false },
  echoedEnded: false,
  totals: Cost.zero,
  lastResult: undefined
})

// The public type has no fields on purpose; at run time it is this one. These are the only casts between the two.

/** The public form of a state. */
export const hide = (state: SessionState): State => state as unknown as State

/** The fields of a state. */
export const fieldsOf = (state: State): SessionState => state as unknown as SessionState

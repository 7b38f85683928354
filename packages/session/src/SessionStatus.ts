/**
 * What a session is doing, at a glance.
 *
 * @since 0.1.0
 * @stability stable
 */
import type { SessionExit } from "@claude-duplex/protocol/SessionExit"

/** What a session is doing. */
export type SessionStatus =
  /** The CLI has not said what it is yet. */
  | { readonly _tag: "Starting" }
  /** Nothing runs. */
  | { readonly _tag: "Idle" }
  /** A turn runs, or a message waits for one. */
  | { readonly _tag: "Running" }
  /** A tool wants to run, and nobody has decided. */
  | { readonly _tag: "WaitingForPermission" }
  /** The CLI ended unasked, and another one is on its way. */
  | { readonly _tag: "Restarting" }
  /** Nothing more can be said; the CLI is ending. */
  | { readonly _tag: "Closing" }
  | { readonly _tag: "Closed"; readonly exit: SessionExit }

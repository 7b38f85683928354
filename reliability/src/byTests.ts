/**
 * Promises that have no figure: a test holds each, with real processes where a process is the point. They stand on the page
 * with the command that runs it.
 */
import type { Row } from "./outcome.js"

/** A promise, what shows it, and how that is run. */
export interface Held extends Row {
  readonly command: string
}

/** In the order of the page. */
export const byTests: ReadonlyArray<Held> = [
  {
    promise: "A host that ends in a turn leaves no CLI running",
    figure: "8 tests with real processes, ended in 7 ways; SIGKILL of the host on the real CLI too",
    command: "pnpm unit packages/transport-node/test/HostCrash.test.ts; pnpm e2e ending"
  },
  {
    promise: "A recording on disk survives a crash",
    figure:
      "hosts killed by SIGKILL while they write: nothing that the file had taken is lost; a file cut at every byte: a torn end is told, and costs only itself",
    command: "pnpm unit packages/transport-mock/test/Recorder.crash.test.ts"
  },
  {
    promise: "Permissions fail closed",
    figure:
      "handlers that do not decide in 12 ways, 19 kinds of nonsense, duplicates, withdrawals, ids of other sessions; on the real CLI too: no tool runs",
    command: "pnpm unit packages/session/test/Permission.failsClosed.test.ts; pnpm e2e permissions"
  },
  {
    promise: "No bypass through raw arguments without a warning",
    figure: "flags, settings and subagents: each is a warning and an event",
    command: "pnpm unit packages/transport-node/test/CliWarning.test.ts; pnpm e2e permissions"
  },
  {
    promise: "Secrets stay in the conversation",
    figure:
      "10 planted secrets, looked for in errors, logs, spans, metrics, exits, warnings and whatever `inspect` shows",
    command: "pnpm unit packages/transport-node/test/Secrets.test.ts packages/protocol/test/Redactor.test.ts"
  },
  {
    promise: "No value of an option becomes a flag, a variable or a shell word",
    figure: "every option with 20 hostile values, seen by a real process; no shell in any source",
    command: "pnpm unit packages/transport-node/test/Injection.test.ts"
  },
  {
    promise: "Every dependency has its reason, and runs no code when it is installed",
    figure: "two tables, compared with every `package.json`",
    command: "pnpm unit test/dependencies.test.ts"
  },
  {
    promise: "What is published is what is meant",
    figure: "contents, publint, attw; installed with npm in an empty project, where the three kinds of use run",
    command: "pnpm pack:check"
  }
]

/**
 * The tool in a terminal, as a person has it: a pseudo-terminal (`node-pty`, with its binaries in the package), and what is
 * seen in it (xterm without a window).
 */
import pty from "@lydell/node-pty"
import xterm from "@xterm/headless"
import { fileURLToPath } from "node:url"

/** The tool, as it was built. */
export const tool = fileURLToPath(new URL("../../bin/claude-duplex.mjs", import.meta.url))

export const fakeClaude = fileURLToPath(new URL("../../../transport-mock/bin/fake-claude.mjs", import.meta.url))

export const recording = (name: string) =>
  fileURLToPath(new URL(`../../../../recordings/${name}.jsonl`, import.meta.url))

/** How long anything may take that is waited for. */
const patience = 60_000

/** A terminal in which a program runs. */
export interface Terminal {
  /** Presses keys. */
  readonly type: (keys: string) => void
  /** What is seen: all that was written, as the terminal shows it, without blanks at the ends. */
  readonly screen: () => string
  /** Waits until this is seen. */
  readonly until: (seen: string | RegExp) => Promise<void>
  /** Waits for the end of the program. */
  readonly exit: Promise<{ readonly exitCode: number; readonly signal?: number | undefined }>
  readonly kill: (signal: string) => void
  /** Whether anything that is seen has a colour or a weight. */
  readonly hasColours: () => boolean
}

/** Starts the tool in a terminal of 80 columns. */
export const open = (
  args: ReadonlyArray<string>,
  options: { readonly env?: Record<string, string>; readonly cwd?: string } = {}
): Terminal => {
  const view = new xterm.Terminal({ cols: 80, rows: 24, scrollback: 1_000, allowProposedApi: true })
  const child = pty.spawn(process.execPath, [tool, ...args], {
    cols: 80,
    rows: 24,
    cwd: options.cwd ?? process.cwd(),
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nowhere", TERM: "xterm-256color", ...options.env }
  })
  let check: () => void = () => undefined
  child.onData((data) => view.write(data, () => check()))
  const exit = new Promise<{ exitCode: number; signal?: number | undefined }>((resolve) =>
    // What was written last may still be on its way to the view.
    child.onExit((how) => setTimeout(() => view.write("", () => resolve(how)), 50))
  )
  const screen = () => {
    const { buffer: { active } } = view
    const lines = Array.from(
      { length: active.length },
      (_, row) => active.getLine(row)?.translateToString(true).trimEnd() ?? ""
    )
    return lines.join("\n").trimEnd()
  }
  return {
    type: (keys) => child.write(keys),
    screen,
    until: (seen) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(
          () => reject(new Error(`${String(seen)} was not seen, but\n${screen()}`)),
          patience
        )
        check = () => {
          if (typeof seen === "string" ? !screen().includes(seen) : !seen.test(screen())) return
          clearTimeout(late)
          check = () => undefined
          resolve()
        }
        check()
      }),
    exit,
    kill: (signal) => child.kill(signal),
    hasColours: () => {
      const { buffer: { active } } = view
      return Array.from({ length: active.length }, (_, row) => active.getLine(row)).some((line) =>
        Array.from({ length: 80 }, (_, column) => line?.getCell(column)).some((cell) =>
          cell !== undefined && (cell.isBold() !== 0 || cell.isDim() !== 0 || !cell.isFgDefault())
        )
      )
    }
  }
}

export const keys = {
  enter: "\r",
  ctrlC: "\u0003",
  ctrlD: "\u0004",
  escape: "\u001b",
  left: "\u001b[D",
  up: "\u001b[A"
}

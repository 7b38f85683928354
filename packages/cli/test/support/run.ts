/** The tool in this process, on streams that remember. */
import * as Cli from "@claude-duplex/cli/Cli"
import * as Output from "@claude-duplex/cli/Output"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect, Layer } from "effect"

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const memory = (isTTY: boolean) => {
  const texts: Array<string> = []
  return {
    texts,
    isTTY,
    columns: 100,
    write: (text: string | Uint8Array, done: () => void) => {
      texts.push(typeof text === "string" ? text : new TextDecoder().decode(text))
      done()
    }
  }
}

/** Runs a line, as a person would type it after `claude-duplex`; words are between spaces. */
export const run = (
  line: string,
  { env = {}, isTerminal = false }: { readonly env?: Record<string, string>; readonly isTerminal?: boolean } = {}
): Effect.Effect<Ran> =>
  Effect.suspend(() => {
    const [stdout, stderr] = [memory(isTerminal), memory(false)]
    const output = Layer.succeed(Output.Output, Output.make({ stdout, stderr, env }))
    return Cli.run(line.split(" ").filter((word) => word !== "")).pipe(
      Effect.map((code): Ran => ({ code, stdout: stdout.texts.join(""), stderr: stderr.texts.join("") })),
      Effect.provide(Layer.merge(output, NodeContext.layer))
    )
  })

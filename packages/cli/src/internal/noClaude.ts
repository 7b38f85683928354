/** What is said when `claude` cannot be started: one line, and where it was looked for in `--verbose`. */
import { CliError } from "../CliError.js"

/** An error of the transport's, as the tool tells it. */
export const noClaude = ({ message }: { readonly message: string }): CliError => {
  const [first = "", ...rest] = message.split("\n")
  return new CliError({
    reason: "Claude",
    summary: first.replace(/ Tried:$/, ""),
    ...(rest.length === 0 ? {} : { detail: ["Tried:", ...rest].join("\n") })
  })
}

/**
 * The child process: runs one variant, and nothing else ever, so that what the engine learnt from another variant cannot
 * change its code. Made by `child.ts`; the name of the variant is the only argument.
 */
import { isVariantName, variants } from "../work/variants.js"
import { isRoundRequest, type RoundReply } from "./protocol.js"

const name = process.argv[2] ?? ""
if (!isVariantName(name)) throw new Error(`There is no variant ${JSON.stringify(name)}`)
const work = await variants[name]()

const reply = (message: RoundReply): void => {
  process.send?.(message)
}

const round = async (passes: number): Promise<RoundReply> => {
  // No `gc()` in between: nothing of a round stays alive, so a full collection takes the hidden classes with it, and
  // all code that was optimised for them ("weak objects" in --trace-deopt). No host collects everything ten times a second.
  let kept = 0
  const start = performance.now()
  const cpu = process.cpuUsage()
  for (let pass = 0; pass < passes; pass++) {
    const result = work()
    kept += typeof result === "number" ? result : await result
  }
  const { system, user } = process.cpuUsage(cpu)
  return { milliseconds: performance.now() - start, cpuMilliseconds: (user + system) / 1_000, kept }
}

process.on("message", (message: unknown) => {
  // A failure is not caught: it ends this process, and the parent reports that.
  if (isRoundRequest(message)) void round(message.passes).then(reply)
})
process.once("disconnect", () => process.exit())
reply({ milliseconds: 0, cpuMilliseconds: 0, kept: 0 })

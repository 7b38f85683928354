/**
 * Imported first into a program (`node --import`): tells at its end, on descriptor 3, the most memory that it ever took and
 * how much processor time.
 */
import { writeSync } from "node:fs"

process.on("exit", () => {
  const { maxRSS, systemCPUTime, userCPUTime } = process.resourceUsage()
  writeSync(3, JSON.stringify({ megabytes: maxRSS / 1_000, cpuMilliseconds: (userCPUTime + systemCPUTime) / 1_000 }))
})

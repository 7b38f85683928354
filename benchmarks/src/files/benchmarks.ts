/** The tool's commands on a file of 1 GB: entries of the registry. */
import { compareOnFile, peakOnFile, type ToolCommand } from "../harness/onFile.js"
import type { Benchmark } from "../registry.js"

const commands: ReadonlyArray<ToolCommand> = ["inspect", "check", "stats"]

const split = "bare line splitting and `JSON.parse` of the same file"

/** In the order of the table. */
export const onFiles: ReadonlyArray<Benchmark> = [
  ...commands.map((command): Benchmark => ({
    id: `${command}-1gb`,
    title: `\`claude-duplex ${command}\` on 1 GB of stdout`,
    against: split,
    target: 1.5,
    run: compareOnFile({ command, format: "stdout", levels: "outer" })
  })),
  ...commands.map((command): Benchmark => ({
    id: `${command}-1gb-cpu`,
    title: `the same with \`${command}\`: CPU of all threads, loading included`,
    against: split,
    run: compareOnFile({ command, format: "stdout", levels: "outer", measure: "cpu" })
  })),
  ...commands.map((command): Benchmark => ({
    id: `${command}-1gb-recording`,
    title: `\`claude-duplex ${command}\` on a recording of 1 GB, whose frames are JSON in JSON`,
    against: `${split}, and of the frame in each line`,
    target: 1.5,
    run: compareOnFile({ command, format: "recording", levels: "both" })
  })),
  ...commands.map((command): Benchmark => ({
    id: `${command}-1gb-outer`,
    title: `the same with \`${command}\``,
    against: `${split}, frames left as text`,
    run: compareOnFile({ command, format: "recording", levels: "outer" })
  })),
  ...commands.map((command): Benchmark => ({
    id: `${command}-1gb-memory`,
    title: `\`claude-duplex ${command}\` on a recording of 1 GB: the most resident memory`,
    against: "nothing",
    target: 300,
    unit: "MB",
    run: peakOnFile(command, "recording")
  }))
]

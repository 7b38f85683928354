/**
 * `pnpm record`: makes recordings of a real CLI in the format of `recordings`; with `--check` it records all that it can,
 * decodes it, and says what is new in that version. Exits with 1 if something is, or could not be recorded.
 */
import * as TransportExit from "@claude-duplex/protocol/TransportExit"
import { stringify } from "@claude-duplex/transport-mock/Recording"
import { Cause, Effect, Either, Exit, Logger, LogLevel } from "effect"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import * as ClaudeCli from "./ClaudeCli.js"
import * as Novelties from "./Novelties.js"
import * as NoveltyReport from "./NoveltyReport.js"
import * as RecordCommand from "./RecordCommand.js"
import * as Stage from "./Stage.js"
import { supportOf, versions } from "./Versions.js"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Progress goes to stderr: what is on stdout may be for a program. */
const progress = (text: string) => process.stderr.write(`${text}\n`)

/** Has the CLI that is wanted, and makes it the one that is tried. Gives its version. */
const prepare = async (wanted: string | undefined): Promise<string> => {
  const version = await ClaudeCli.resolve(wanted ?? versions[0]?.version ?? "latest")
  process.env["CLAUDE_DUPLEX_E2E_EXECUTABLE"] = await ClaudeCli.install(version)
  process.env["CLAUDE_DUPLEX_E2E_VERSION"] = version
  return version
}

/** Those that this CLI can play. */
const playable = (scenarios: ReadonlyArray<Stage.Scenario>, version: string) => {
  const support = supportOf(version)
  return scenarios.filter(({ name, runsOn }) => {
    const runs = runsOn?.(support) !== false
    if (!runs) progress(`– ${name}: claude ${version} cannot play it`)
    return runs
  })
}

const play = (scenario: Stage.Scenario) =>
  Stage.play(scenario).pipe(
    // Warnings about how a scenario starts its CLI are for those who would do so without meaning to.
    Logger.withMinimumLogLevel(LogLevel.Error),
    Effect.sandbox,
    Effect.mapError((cause) => Cause.pretty(cause).split("\n", 1).join("")),
    Effect.either,
    Effect.tap(Either.match({
      onLeft: (why) => Effect.sync(() => progress(`✗ ${scenario.name}: ${why}`)),
      onRight: ({ entries, exit }) =>
        Effect.sync(() => progress(`✓ ${scenario.name}: ${entries.length} lines, ${TransportExit.describe(exit)}`))
    }))
  )

const save = (path: string, { entries }: Stage.Take) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, stringify(entries))
}

/** One after the other: recordings have times in them, and a busy machine would be in those. */
const record = async ({ cli, force, out, scenarios }: Extract<RecordCommand.Command, { _tag: "Record" }>) => {
  const version = await prepare(cli)
  const pathOf = (name: string) => join(out ?? join(root, "recordings"), version, `${name}.jsonl`)
  const wanted = playable(scenarios, version)
  const there = wanted.filter(({ name }) => existsSync(pathOf(name)))
  if (there.length > 0 && !force) {
    const paths = there.map(({ name }) => relative(process.cwd(), pathOf(name))).join(", ")
    throw new Error(`${paths}: already there. --force replaces what is there, --out=DIR writes elsewhere.`)
  }
  const program = Effect.forEach(wanted, (scenario) =>
    Effect.map(play(scenario), (taken) => {
      if (Either.isLeft(taken)) return false
      save(pathOf(scenario.name), taken.right)
      process.stdout.write(`${pathOf(scenario.name)}\n`)
      return true
    }))
  const done = await Effect.runPromise(program)
  return wanted.length > 0 && done.every((saved) => saved)
}

/** Two at a time: nobody looks at the times. */
const check = async ({ cli, json, out, scenarios }: Extract<RecordCommand.Command, { _tag: "Check" }>) => {
  const version = await prepare(cli)
  const folder = out ?? mkdtempSync(join(tmpdir(), "claude-duplex-check-"))
  const program = Effect.forEach(
    playable(scenarios, version),
    (scenario) =>
      Effect.map(play(scenario), (taken): NoveltyReport.Played => {
        if (Either.isLeft(taken)) return { scenario: scenario.name, frames: 0, novelties: [], failure: taken.left }
        save(join(folder, version, `${scenario.name}.jsonl`), taken.right)
        return {
          scenario: scenario.name,
          frames: taken.right.entries.filter(({ dir }) => dir === "cli").length,
          novelties: Novelties.ofRecording(taken.right.entries),
          failure: undefined
        }
      }),
    { concurrency: 2 }
  )
  const report = NoveltyReport.make(version, await Effect.runPromise(program))
  process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : `${NoveltyReport.render(report)}\n`)
  const isClean = NoveltyReport.isClean(report)
  if (isClean && out === undefined) rmSync(folder, { recursive: true })
  else progress(`The recordings are in ${folder}`)
  return isClean
}

const run = (command: RecordCommand.Command): Promise<boolean> => {
  switch (command._tag) {
    case "List":
      process.stdout.write(`${RecordCommand.listing()}\n`)
      return Promise.resolve(true)
    case "Record":
      return record(command)
    case "Check":
      return check(command)
  }
}

const command = RecordCommand.parse(process.argv.slice(2))
const exit = Either.isLeft(command)
  ? Exit.die(command.left)
  : await Effect.runPromiseExit(Effect.promise(() => run(command.right)))
if (Exit.isFailure(exit)) {
  const error = Cause.squash(exit.cause)
  progress(error instanceof Error ? error.message : String(error))
}
// Not `process.exitCode`: a CLI's last connection may keep the server, and with it this process, for a while.
process.exit(Exit.isSuccess(exit) && exit.value ? 0 : 1)

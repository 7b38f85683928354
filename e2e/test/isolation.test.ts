/**
 * The CLI that is tried is alone: it talks to the scripted API and to nobody else, and it leaves the developer's own home as
 * it is. CLIs that would call their makers whatever they are told are held by the proxy of their world.
 *
 * What can be seen without help: whoever would go out by HTTP is led to a proxy that notes it, and a `~/.claude` of
 * the host's, made for this, has marks that would turn up. That does not see a connection that heeds no proxy, nor a home
 * that is looked up in the system's list of users. Where there is `strace`, every address and every path that any process of
 * the CLI's names is seen, and these two with it.
 */
import * as Session from "@claude-duplex/session/Session"
import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { delimiter, join } from "node:path"
import * as Conversation from "../src/Conversation.js"
import * as Model from "../src/Model.js"
import * as World from "../src/World.js"

const { supports } = World.cli

/** A bit of everything that a CLI might phone home about, or look up at home. */
const live = (session: Session.Service) =>
  Effect.gen(function*() {
    yield* session.send("hello")
    yield* session.send(Model.call("Bash", { command: "echo one" }))
    yield* session.send(Model.call("Bash", { command: "exit 3" }))
    yield* session.send("/compact", { whenBusy: "queue" })
    yield* session.endInput({ force: true })
    return yield* session.awaitExit
  })

/** What a folder has in it: names, contents, and when each was last changed and last read. */
const look = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted().map((name) => {
    const { atimeMs, mtimeMs, size } = statSync(join(folder, name))
    return `${name} ${size} ${mtimeMs} ${atimeMs}`
  })

/** A home as a developer might have one. Each file was read before it was last written, so that reading it would show. */
const developersHome = Effect.acquireRelease(
  Effect.sync(() => {
    const home = mkdtempSync(join(tmpdir(), "claude-duplex-e2e-developer-"))
    mkdirSync(join(home, ".claude"))
    for (
      const [name, text] of [
        [".claude.json", `{"numStartups":17,"customInstructions":"the bittern"}`],
        [".claude/CLAUDE.md", "Always mention the bittern.\n"],
        [".claude/settings.json", `{"outputStyle":"bittern","env":{"BITTERN":"1"}}`],
        [".claude/.credentials.json", `{"claudeAiOauth":{"accessToken":"the bittern"}}`]
      ] as const
    ) {
      writeFileSync(join(home, name), text)
      utimesSync(join(home, name), 1_000, 2_000)
    }
    return home
  }),
  (home) => Effect.sync(() => rmSync(home, { recursive: true }))
)

/** The host's own home, for as long as the scope is open. */
const liveIn = (home: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = process.env["HOME"]
      process.env["HOME"] = home
      return before
    }),
    (before) =>
      Effect.sync(() => {
        if (before === undefined) delete process.env["HOME"]
        else process.env["HOME"] = before
      })
  )

const strace = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "strace")).find((path) =>
  existsSync(path)
)

/** Whether processes may be traced here: some containers forbid it. */
const canTrace = (): boolean => {
  if (strace === undefined) return false
  try {
    execFileSync(strace, ["-f", "-o", "/dev/null", "true"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** The CLI, with all that it names noted in a file. */
const traced = (world: World.World) => {
  const { executable } = World.cli
  const log = join(world.home, "trace")
  const path = join(world.home, "traced")
  const program = executable.endsWith(".js") ? `'${process.execPath}' '${executable}'` : `'${executable}'`
  const calls = "trace=%file,connect,sendto,sendmsg,sendmmsg"
  writeFileSync(
    path,
    `#!/bin/sh\nexec '${strace}' -f -qq -s 4096 -e ${calls} -e signal=none -o '${log}' ${program} "$@"\n`
  )
  chmodSync(path, 0o755)
  return { path, said: () => readFileSync(log, "utf8") }
}

/** Addresses of the internet, as `strace` writes them: in `connect`, and where a datagram is sent to. */
const addresses = (trace: string): ReadonlyArray<string> => [
  ...new Set(
    Array.from(
      trace.matchAll(/sa_family=AF_INET6?, sin6?_port=htons\((\d+)\),[^}]*?"([^"]+)"/g),
      ([, port, host]) => `${host}:${port}`
    )
  )
]

describe("isolation", () => {
  it.scopedLive("nobody is called but the scripted API, and the host's own home is left alone", () =>
    Effect.gen(function*() {
      const home = yield* developersHome
      yield* liveIn(home)
      const before = look(home)
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(world, { settleTime: "500 millis" }, { allowedTools: ["Bash"] })
      assert.deepInclude(yield* live(session), { _tag: "Exited", code: 0 })
      const strangers = [...new Set(world.strangers())]
      assert.strictEqual(strangers.includes("api.anthropic.com:443"), supports.callsHome)
      // Where its list of changes is, which some look up when they find the time.
      const also = supports.callsHome ? ["raw.githubusercontent.com:443"] : []
      assert.includeMembers(["api.anthropic.com:443", ...also], strangers)
      if (!supports.callsHome) assert.isEmpty(strangers)
      assert.deepStrictEqual(look(home), before)
      const requests = yield* world.api.requests
      assert.isNotEmpty(requests)
      assert.isEmpty(requests.filter(({ path }) => !path.startsWith("/v1/messages")))
      assert.notInclude(JSON.stringify(requests.map(({ body }) => body)), "bittern")
      // What it keeps, it keeps in the home that it was given.
      assert.isNotEmpty(readdirSync(join(world.home, ".claude")))
    }))

  it.scopedLive.runIf(canTrace())(
    "no other address and nothing of a developer's home is ever named (by strace)",
    () =>
      Effect.gen(function*() {
        const home = yield* developersHome
        yield* liveIn(home)
        const world = yield* World.make(Model.obedient)
        const { path, said } = traced(world)
        const session = yield* Session.fromConnector(
          yield* NodeConnector.make({
            executable: path,
            cwd: world.cwd,
            env: world.env,
            inheritEnv: false,
            checkVersion: false,
            cli: Conversation.cliOptions({ permissionPromptTool: "stdio", allowedTools: ["Bash"] })
          }),
          { settleTime: "500 millis" }
        )
        assert.deepInclude(yield* live(session), { _tag: "Exited", code: 0 })
        const trace = said()
        // It did see what there is to be seen. 1.0.60 asks the API by way of the proxy.
        assert.isNotEmpty(addresses(trace))
        assert.include(trace, join(world.home, ".claude"))
        for (const forbidden of [home, userInfo().homedir]) {
          const named = trace.split("\n").filter((line) =>
            line.includes(`"${join(forbidden, ".claude")}`) || line.includes(`"${join(forbidden, ".config", "claude")}`)
          )
          assert.deepStrictEqual(named, [])
        }
        // Nor does it ask for anybody's address: the proxy is loopback too.
        assert.isEmpty(addresses(trace).filter((address) => !address.startsWith("127.0.0.1:")))
      }),
    120_000
  )
})

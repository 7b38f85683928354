/** The server, as programs see it that are no browser; what a browser makes of it is in `browser/`. */
import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
import * as Recording from "@claude-duplex/transport-mock/Recording"
import * as Replay from "@claude-duplex/transport-mock/Replay"
import { Api } from "@claude-duplex/ui/Api"
import * as Conversations from "@claude-duplex/ui/Conversations"
import * as UiServer from "@claude-duplex/ui/UiServer"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Socket from "@effect/platform/Socket"
import * as RpcClient from "@effect/rpc/RpcClient"
import * as RpcSerialization from "@effect/rpc/RpcSerialization"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Layer, Option, Stream } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createConnection } from "node:net"
import { networkInterfaces, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { WebSocket } from "ws"

const recordings = fileURLToPath(new URL("../../../recordings/2.1.326/", import.meta.url))

/** A page of two files, and one that is none. */
const folder = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "claude-duplex-ui-"))
    writeFileSync(join(path, "index.html"), "<p>hello</p>")
    writeFileSync(join(path, "app.js"), "1")
    writeFileSync(join(path, "secret.txt"), "no page")
    return path
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const serve = Effect.flatMap(folder, (page) => UiServer.make({ page }))

const fetched = (url: string, init?: RequestInit) =>
  Effect.promise(async () => {
    const response = await fetch(url, init)
    return { status: response.status, text: await response.text(), headers: response.headers }
  })

/** A client of the page's, which says where it comes from as a browser does. */
const client = ({ port, url }: UiServer.Service) =>
  RpcClient.layerProtocolSocket().pipe(
    Layer.provide(Socket.layerWebSocket(`${url.replace("http", "ws")}rpc`)),
    Layer.provide(Layer.succeed(
      Socket.WebSocketConstructor,
      (address, protocols) =>
        // The class of `ws` is the browser's but for what nobody uses here.
        new WebSocket(address, protocols, { origin: `http://127.0.0.1:${port}` }) as unknown as globalThis.WebSocket
    )),
    Layer.provide(RpcSerialization.layerJson),
    Layer.build,
    Effect.flatMap((protocol) => Effect.provide(RpcClient.make(Api), protocol))
  )

/** How the handshake of a WebSocket ends. */
const handshake = (url: string, headers: Record<string, string>) =>
  Effect.async<number>((resume) => {
    const socket = new WebSocket(url, { headers })
    socket.on("unexpected-response", (_, response) => resume(Effect.succeed(response.statusCode ?? 0)))
    socket.on("open", () => {
      socket.close()
      resume(Effect.succeed(101))
    })
    socket.on("error", () => {})
  })

/** Live conversations are the ones of this recording. */
const replaying = (name: string) =>
  Layer.unwrapEffect(
    Recording.read(`${recordings}${name}.jsonl`).pipe(
      Effect.flatMap((recording) => MockConnector.make(Replay.behaviour(recording, { ignoreExtra: true }))),
      Effect.map((connector) => Conversations.layer({ connector }))
    )
  ).pipe(
    Layer.provideMerge(NodeContext.layer)
  )

describe("the server", () => {
  it.scopedLive("shows the page to who knows the token, and nothing else to anybody", () =>
    Effect.gen(function*() {
      const { port, url } = yield* serve
      const page = yield* fetched(url)
      assert.deepStrictEqual([page.status, page.text], [200, "<p>hello</p>"])
      assert.strictEqual((yield* fetched(`${url}app.js`)).text, "1")
      for (const path of ["secret.txt", "../package.json", "%2e%2e/package.json", "nothing", "rpc"]) {
        assert.strictEqual((yield* fetched(`${url}${path}`)).status === 200, false, path)
      }
      const token = new URL(url).pathname.slice(1, -1)
      const without = [
        `http://127.0.0.1:${port}/`,
        `http://127.0.0.1:${port}/app.js`,
        `http://127.0.0.1:${port}/?token=${token}`,
        url.replace(token, token.toLowerCase())
      ]
      for (const address of without) {
        const { status, text } = yield* fetched(address)
        assert.strictEqual(status, 403, address)
        assert.notInclude(text, token)
      }
      assert.strictEqual((yield* fetched(url, { headers: { origin: "http://evil.example" } })).status, 403)
      assert.strictEqual((yield* fetched(url, { method: "POST" })).status, 405)
    }).pipe(Effect.provide(replaying("plain"))))

  it.scopedLive("keeps the page to itself by its headers, also where it refuses", () =>
    Effect.gen(function*() {
      const { port, url } = yield* serve
      for (const address of [url, `http://127.0.0.1:${port}/`, `${url}nothing`]) {
        const { headers } = yield* fetched(address)
        const policy = headers.get("content-security-policy") ?? ""
        assert.include(policy, "default-src 'none'")
        assert.notMatch(policy, /unsafe|https?:|\*/)
        assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        assert.strictEqual(headers.get("access-control-allow-origin"), null)
      }
    }).pipe(Effect.provide(replaying("plain"))))

  it.scopedLive("listens on loopback only", () =>
    Effect.gen(function*() {
      const { port } = yield* serve
      const others = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
        .filter(({ internal }) => !internal).map(({ address, scopeid }) => scopeid ? `${address}%${scopeid}` : address)
      for (const host of [...others, "::1"]) {
        const outcome = yield* Effect.async<string>((resume) => {
          const socket = createConnection({ host, port })
          socket.on("connect", () => resume(Effect.succeed("connected")))
          socket.on("error", () => resume(Effect.succeed("refused")))
        })
        assert.strictEqual(outcome, "refused", host)
      }
    }).pipe(Effect.provide(replaying("plain"))))

  it.scopedLive("lets no WebSocket in without the token or from another origin", () =>
    Effect.gen(function*() {
      const { port, url } = yield* serve
      const origin = `http://127.0.0.1:${port}`
      const socket = url.replace("http", "ws")
      assert.strictEqual(yield* handshake(`${socket}rpc`, { origin }), 101)
      assert.strictEqual(yield* handshake(`${socket}rpc`, {}), 403)
      assert.strictEqual(yield* handshake(`${socket}rpc`, { origin: "http://evil.example" }), 403)
      assert.strictEqual(yield* handshake(`${socket}rpc`, { origin, host: "evil.example" }), 403)
      assert.strictEqual(yield* handshake(`ws://127.0.0.1:${port}/rpc`, { origin }), 403)
    }).pipe(Effect.provide(replaying("plain"))))

  it.scopedLive("shows recordings line by line", () =>
    Effect.gen(function*() {
      const conversations = yield* Conversations.Conversations
      const { id } = yield* conversations.openRecording(`${recordings}plain.jsonl`)
      const api = yield* Effect.flatMap(serve, client)
      const [listed] = Chunk.toReadonlyArray(yield* Stream.runCollect(Stream.take(api.Watch(), 1)))
      assert.deepStrictEqual(listed, [{ id, kind: "recording", title: "plain.jsonl", status: "Recorded" }])
      const { entries } = yield* Recording.read(`${recordings}plain.jsonl`)
      const read = yield* Stream.runCollect(api.Entries({ conversation: id, from: 0 }))
      assert.deepStrictEqual([...read].flatMap((batch) => batch.entries), [...entries])
      assert.deepStrictEqual(yield* api.Entry({ conversation: id, index: 3 }), entries[3])
      assert.strictEqual((yield* Effect.flip(api.Entry({ conversation: id, index: 999 }))).reason, "NoSuchEntry")
      assert.strictEqual(
        (yield* Effect.flip(api.Send({ conversation: id, text: "hi", whenBusy: "queue" }))).reason,
        "NotLive"
      )
      assert.strictEqual((yield* Effect.flip(api.Interrupt({ conversation: "nobody" }))).reason, "NoSuchConversation")
    }).pipe(Effect.provide(replaying("plain"))))

  it.scopedLive("holds a session for a person, who decides what may run", () =>
    Effect.gen(function*() {
      const api = yield* Effect.flatMap(serve, client)
      const { id } = yield* api.Start()
      yield* api.Send({ conversation: id, text: "make a file", whenBusy: "queue" })
      const [prompt] = yield* Stream.runHead(Stream.filter(api.Prompts(), (open) => open.length > 0)).pipe(
        Effect.map(Option.getOrThrow)
      )
      assert.strictEqual(prompt?.conversation, id)
      yield* api.Answer({ conversation: id, id: prompt?.id ?? "", decision: { _tag: "Allow", always: false } })
      assert.strictEqual(
        (yield* Effect.flip(
          api.Answer({ conversation: id, id: prompt?.id ?? "", decision: { _tag: "Deny", message: "late" } })
        )).reason,
        "Refused"
      )
      const types = yield* api.Entries({ conversation: id, from: 0 }).pipe(
        Stream.flatMap(({ entries }) => Stream.fromIterable(entries)),
        // Lines of a recording are JSON objects.
        Stream.map(({ dir, line }) => `${dir} ${(JSON.parse(line) as { readonly type: string }).type}`),
        Stream.takeUntil((type) => type === "cli result"),
        Stream.runCollect
      )
      assert.includeMembers([...types], ["host user", "cli control_request", "host control_response", "cli result"])
      yield* api.Close({ conversation: id })
      yield* Stream.runHead(Stream.filter(api.Watch(), ([only]) => only?.status === "Closed"))
      assert.strictEqual((yield* Effect.flip(api.Interrupt({ conversation: id }))).reason, "NotLive")
    }).pipe(Effect.provide(replaying("permission-allow"))))

  it.scoped("says how to make the page where there is none", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(UiServer.make({ page: "/nowhere" }))
      assert.strictEqual(error.reason, "NoPage")
      assert.include(error.message, "pnpm build")
    }).pipe(Effect.provide(replaying("plain"))))
})

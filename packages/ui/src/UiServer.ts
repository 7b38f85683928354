/**
 * The server of the page: on loopback, at a random port, behind a token. Owns listening and what is served; who may come in
 * is `Gate`'s, and what can be asked for `Api`'s.
 *
 * @since 0.1.0
 * @stability experimental
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { FileSystem } from "@effect/platform/FileSystem"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as RpcSerialization from "@effect/rpc/RpcSerialization"
import * as RpcServer from "@effect/rpc/RpcServer"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Http from "node:http"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Duplex } from "node:stream"
import { Api } from "./Api.js"
import { Conversations } from "./Conversations.js"
import * as Gate from "./Gate.js"

/** How it listens. */
export interface Options {
  /** Default: a free one. */
  readonly port?: number | undefined
  /** The folder of the built page. Default: the one that comes with this package. */
  readonly page?: string | undefined
}

/** A server that runs. */
export interface Service {
  /** Where the page is, with the token in it: whoever has this may do whatever the person at the page may. */
  readonly url: string
  readonly port: number
}

/** The server could not start. */
export class UiServerError extends Schema.TaggedError<UiServerError>("@claude-duplex/ui/UiServerError")(
  "UiServerError",
  { reason: Schema.Literal("Listen", "NoPage"), detail: Schema.String }
) {
  override get message(): string {
    return this.detail
  }
}

/** Found by the name of the package, so that this module may be part of a bundle of another one. */
const builtPage = join(dirname(createRequire(import.meta.url).resolve("@claude-duplex/ui/package.json")), "dist-page")

/** What a page is made of. Whatever else lies in the folder is not served. */
const types: Record<string, string> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2"
}

/**
 * Starts the server; the end of the scope ends it, and every connection.
 *
 * @example
 * ```ts
 * import * as NodeContext from "@effect/platform-node/NodeContext"
 * import * as Conversations from "@claude-duplex/ui/Conversations"
 * import * as UiServer from "@claude-duplex/ui/UiServer"
 * import { Console, Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const conversations = yield* Conversations.Conversations
 *   yield* conversations.openRecording("recordings/2.1.326/plain.jsonl")
 *   const { url } = yield* UiServer.make()
 *   yield* Console.log(url)
 *   return yield* Effect.never
 * }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(Conversations.layer(), NodeContext.layer)))
 * ```
 */
export const make = (
  { page = builtPage, port = 0 }: Options = {}
): Effect.Effect<Service, UiServerError, Conversations | FileSystem | Scope.Scope> =>
  Effect.gen(function*() {
    const files = yield* readPage(page)
    const token = Gate.makeToken()
    const rpc = yield* RpcServer.toHttpAppWebsocket(Api, { disableTracing: true }).pipe(
      Effect.provide(handlers),
      Effect.provide(RpcSerialization.layerJson)
    )
    const { port: taken, server } = yield* listen(port)
    const gate = Gate.make({ port: taken, token })
    const headers = Gate.headers(taken)
    const refuse = (status: number, text: string) => HttpServerResponse.text(text, { status, headers })

    const app = Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const header = (name: string) => request.headers[name]
      const isUpgrade = header("upgrade") !== undefined
      const verdict = gate({
        path: request.url.split("?", 1)[0] ?? "",
        host: header("host"),
        origin: header("origin"),
        isUpgrade
      })
      if (verdict._tag === "Refused") {
        return refuse(403, "This page is for whoever started it: open the address that was printed, with its token.\n")
      }
      if (verdict.path === "/rpc" && isUpgrade) return yield* rpc
      if (request.method !== "GET") return refuse(405, "There is nothing to do here but to look.\n")
      const file = HashMap.get(files, verdict.path === "/" ? "/index.html" : verdict.path)
      return Option.match(file, {
        onNone: () => refuse(404, "There is no such file.\n"),
        onSome: ({ bytes, type }) => HttpServerResponse.uint8Array(bytes, { contentType: type, headers })
      })
    })
    yield* server.serve(app)
    return { port: taken, url: `http://127.0.0.1:${taken}/${token}/` }
  })

const handlers = Api.toLayer(Effect.map(Conversations, (conversations) =>
  Api.of({
    Watch: () => conversations.changes,
    Entries: ({ conversation, from }) => conversations.entries(conversation, from),
    Entry: ({ conversation, index }) => conversations.entry(conversation, index),
    Prompts: () => conversations.prompts,
    Answer: ({ conversation, decision, id }) => conversations.answer(conversation, id, decision),
    Start: () => conversations.start,
    Send: ({ conversation, text, whenBusy }) => conversations.send(conversation, text, whenBusy),
    Interrupt: ({ conversation }) => conversations.interrupt(conversation),
    Close: ({ conversation }) => conversations.close(conversation)
  })))

/** On loopback only. */
const listen = (port: number) =>
  Effect.gen(function*() {
    const node = Http.createServer()
    const sockets = new Set<Duplex>()
    node.on("upgrade", (_, socket) => {
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
    })
    // The platform's server waits at its end for whatever is connected, and a page that is open stays connected. So it has
    // a scope of its own, which is closed after its connections.
    const own = yield* Effect.acquireRelease(Scope.make(), (scope, exit) => Scope.close(scope, exit))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        node.closeAllConnections()
        // A WebSocket is no connection of the server's any more.
        for (const socket of sockets) socket.destroy()
      })
    )
    const server = yield* Effect.mapError(
      Scope.extend(NodeHttpServer.make(() => node, { host: "127.0.0.1", port }), own),
      ({ cause }) => new UiServerError({ reason: "Listen", detail: `Port ${port} cannot be listened on: ${cause}` })
    )
    // Always so: a host and a port were asked for.
    return { server, port: server.address._tag === "TcpAddress" ? server.address.port : port }
  })

interface PageFile {
  readonly bytes: Uint8Array
  readonly type: string
}

/** All of it, once: a page is small, and a path that is not one of these leads nowhere. */
const readPage = (folder: string) =>
  Effect.gen(function*() {
    const files = yield* FileSystem
    const names = yield* files.readDirectory(folder, { recursive: true })
    const pages = yield* Effect.forEach(
      names.filter((name) => typeOf(name) !== undefined),
      (name) =>
        Effect.map(files.readFile(`${folder}/${name}`), (bytes) =>
          [`/${name.replaceAll("\\", "/")}`, { bytes, type: typeOf(name) ?? "" }] satisfies [string, PageFile])
    )
    return HashMap.fromIterable<string, PageFile>(pages)
  }).pipe(
    Effect.mapError(() =>
      new UiServerError({
        reason: "NoPage",
        detail: `There is no page in ${folder}. In a checkout, \`pnpm build\` makes it.`
      })
    )
  )

const typeOf = (name: string): string | undefined => types[name.split(".").at(-1) ?? ""]

/**
 * A proxy that leads to one address on loopback and nowhere else, and notes who wanted to go elsewhere. Clients that heed
 * `NO_PROXY` never call it for that address; 1.0.60 does not, so it must lead there.
 */
import { Effect, type Scope } from "effect"
import { createServer, request as ask } from "node:http"
import { connect } from "node:net"

/** A proxy. */
export interface WatchedProxy {
  readonly url: string
  /** Where somebody wanted to go that is not the one address. */
  readonly refused: () => ReadonlyArray<string>
}

/** Starts one; it ends with the scope. */
export const make = (port: number): Effect.Effect<WatchedProxy, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<{ readonly proxy: WatchedProxy; readonly close: () => void }>((resume) => {
        const refused: Array<string> = []
        const only = `127.0.0.1:${port}`
        const server = createServer((request, response) => {
          // A proxy is asked with the whole address.
          const { host, pathname, search } = new URL(request.url ?? "", "http://nowhere")
          if (host !== only) {
            refused.push(host)
            response.writeHead(403).end()
            return
          }
          const { headers, method } = request
          const onward = ask({ host: "127.0.0.1", port, path: pathname + search, method, headers }, (answer) => {
            response.writeHead(answer.statusCode ?? 502, answer.headers)
            answer.pipe(response)
          })
          onward.on("error", () => response.destroy())
          response.on("close", () => onward.destroy())
          request.pipe(onward)
        })
        server.on("connect", ({ url = "" }, socket) => {
          if (url !== only) {
            refused.push(url)
            socket.destroy()
            return
          }
          const onward = connect(port, "127.0.0.1", () => {
            socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
            onward.pipe(socket)
            socket.pipe(onward)
          })
          onward.on("error", () => socket.destroy())
          socket.on("error", () => onward.destroy())
        })
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
          const close = () => {
            server.closeAllConnections()
            server.close()
          }
          resume(Effect.succeed({ proxy: { url, refused: () => refused }, close }))
        })
      }),
      ({ close }) => Effect.sync(close)
    ),
    ({ proxy }) => proxy
  )

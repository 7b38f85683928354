/**
 * The MCP servers that live in the host: connected for each CLI, each in a scope of its own, until they are removed.
 */
import type { Connection, McpServer } from "@claude-duplex/mcp/McpServer"
import type { JsonRpcMessage } from "@claude-duplex/protocol/schema/JsonRpc"
import type { McpServerConfig } from "@claude-duplex/protocol/schema/McpServerConfig"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"

/** Servers of the host's, and configurations of others. */
export type Wanted<R = never> = { readonly [name: string]: McpServer<R> | McpServerConfig }

interface Connected {
  readonly connection: Connection
  readonly scope: Scope.CloseableScope
}

/** All that is known by a name. */
interface Entry {
  readonly server: McpServer | undefined
  /** What was given, if it came after the session began. */
  readonly added: object | undefined
  readonly connected: Connected | undefined
}

const nothing: Entry = { server: undefined, added: undefined, connected: undefined }

export class McpServers {
  readonly #servers: Map<string, McpServer>
  readonly #say: (name: string, message: JsonRpcMessage) => Effect.Effect<void>
  readonly #connected = new Map<string, Connected>()
  /** Those that came after the session began, as they came. */
  readonly #added = new Map<string, object>()
  readonly #oneAtATime = Effect.unsafeMakeSemaphore(1)
  /** The life of the CLI that they are connected to. */
  #life: Scope.Scope | undefined

  constructor(
    servers: { readonly [name: string]: McpServer },
    say: (name: string, message: JsonRpcMessage) => Effect.Effect<void>
  ) {
    this.#servers = new Map(Object.entries(servers))
    this.#say = say
  }

  get names(): ReadonlyArray<string> {
    return [...this.#servers.keys()]
  }

  connection(name: string): Connection | undefined {
    return this.#connected.get(name)?.connection
  }

  /** Connects all of them, for as long as the scope is open: the life of a CLI. */
  readonly connect: Effect.Effect<void, never, Scope.Scope> = Effect.flatMap(
    Effect.scope,
    (life) =>
      Effect.suspend(() => {
        this.#life = life
        this.#connected.clear()
        return Effect.forEach(this.#servers, ([name, server]) => this.#open(name, server), { discard: true })
      })
  )

  /**
   * Connects these, lets the CLI know, and lets go of those that were added before. One that was there already stays
   * connected: what runs on it goes on. If that does not come to an end (the CLI refuses, a server cannot be connected,
   * nobody waits any more), all is as it was.
   */
  replace<A, E, R>(
    wanted: Wanted<R>,
    context: Context.Context<Exclude<R, Scope.Scope>>,
    tell: (servers: { readonly [name: string]: McpServerConfig }) => Effect.Effect<A, E>
  ): Effect.Effect<A, E> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen(this, function*() {
        const configs: { [name: string]: McpServerConfig } = {}
        // The CLI takes this for all there are: those of the session are named again, or it would drop them.
        for (const name of this.names) if (!this.#added.has(name)) configs[name] = { type: "sdk", name }
        const before = new Map<string, Entry>()
        const install = Effect.gen(this, function*() {
          for (const [name, server] of Object.entries(wanted)) {
            configs[name] = isServer(server) ? { type: "sdk", name } : server
            if (!isServer(server) || this.#added.get(name) === server) continue
            before.set(name, this.#entry(name))
            this.#set(name, { server: provided(server, context), added: server, connected: undefined })
            yield* this.#open(name, provided(server, context))
          }
        })
        const life = this.#life
        const undo = Effect.forEach(before, ([name, entry]) =>
          Effect.suspend(() => {
            const { connected } = this.#entry(name)
            const isCurrent = this.#life === life
            // A connection of a CLI that is gone is closed, so the server is connected to the present one.
            this.#set(name, isCurrent ? entry : { ...entry, connected: undefined })
            const { server } = entry
            return Effect.zipRight(
              release(connected),
              isCurrent || server === undefined ? Effect.void : this.#open(name, server)
            )
          }), { discard: true })
        const answer = yield* restore(Effect.zipRight(install, Effect.suspend(() => tell(configs)))).pipe(
          Effect.onError(() => undo)
        )
        const dropped = [...this.#added.keys()].filter((name) => configs[name]?.type !== "sdk")
        yield* Effect.forEach([...before.values(), ...dropped.map((name) => this.#entry(name))], ({ connected }) =>
          release(connected), { discard: true })
        for (const name of dropped) {
          this.#set(name, nothing)
        }
        return answer
      })
    ).pipe(this.#oneAtATime.withPermits(1))
  }

  #entry(name: string): Entry {
    return {
      server: this.#servers.get(name),
      added: this.#added.get(name),
      connected: this.#connected.get(name)
    }
  }

  #set(name: string, { added, connected, server }: Entry): void {
    put(this.#servers, name, server)
    put(this.#added, name, added)
    put(this.#connected, name, connected)
  }

  /** Connects one. How long that takes is the server's business, so it can be interrupted. */
  #open(name: string, server: McpServer): Effect.Effect<void> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen(this, function*() {
        const life = this.#life
        if (life === undefined) return
        const scope = yield* Scope.fork(life, ExecutionStrategy.sequential)
        const connecting = Scope.extend(server.connect({ send: (message) => this.#say(name, message) }), scope)
        const connection = yield* Effect.onError(restore(connecting), (cause) =>
          Scope.close(scope, Exit.failCause(cause)))
        // Another CLI came meanwhile, to which all servers were connected anew.
        if (this.#life !== life) {
          return yield* Scope.close(scope, Exit.void)
        }
        this.#connected.set(name, { connection, scope })
      })
    )
  }
}

const release = (connected: Connected | undefined): Effect.Effect<void> =>
  connected === undefined ? Effect.void : Scope.close(connected.scope, Exit.void)

const put = <A>(map: Map<string, A>, name: string, value: A | undefined): void => {
  if (value === undefined) map.delete(name)
  else map.set(name, value)
}

const isServer = <R>(server: McpServer<R> | McpServerConfig): server is McpServer<R> => "connect" in server

/**
 * A server with the services that it needs. The scope of a connection is the connection's, and that of a message the
 * message's, whatever scope the context has: that one may close at any time.
 */
export const provided = <R>(server: McpServer<R>, context: Context.Context<Exclude<R, Scope.Scope>>): McpServer => {
  const withServices = Effect.mapInputContext((own: Context.Context<Scope.Scope>) =>
    // `R` without the scope from `context`, and the scope from `own`: all of `R`.
    Context.add(Context.merge(own, context), Scope.Scope, Context.get(own, Scope.Scope)) as Context.Context<
      R | Scope.Scope
    >
  )
  return {
    connect: (client) =>
      server.connect(client).pipe(
        Effect.map((connection): Connection => (message) => Effect.scoped(withServices(connection(message)))),
        withServices
      )
  }
}

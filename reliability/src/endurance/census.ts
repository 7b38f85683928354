/**
 * Counts what is alive in this process: fibers, entries of all maps and sets, listeners, children, descriptors. Nothing has to
 * be asked for its size: the engine is asked for the objects. So whatever grows is seen, wherever it is.
 */
import { Effect } from "effect"
import { EventEmitter } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { type Runtime, Session } from "node:inspector"

/** How much there is of everything. */
export interface Census {
  /** Fibers that have not ended. */
  readonly fibers: number
  /** Entries of all maps. */
  readonly mapEntries: number
  /** Members of all sets. */
  readonly setEntries: number
  /** Listeners of all emitters. */
  readonly listeners: number
  /** Processes that this one has started, and open files; not where the system does not tell. */
  readonly children: number | undefined
  readonly descriptors: number | undefined
}

/** What the engine is asked about, by the name under which it finds it. */
const prototypes = {
  // Any fiber has the prototype of all.
  fibers: Object.getPrototypeOf(Effect.runFork(Effect.void)) as object,
  maps: Map.prototype,
  sets: Set.prototype,
  emitters: EventEmitter.prototype
}

const place = "claude-duplex/census"

/** Takes a census. Everything that is garbage is collected first. */
export const take = (): Census => {
  Object.assign(globalThis, { [place]: prototypes })
  const inspector = new Session()
  inspector.connect()
  try {
    const sum = (name: keyof typeof prototypes, count: string): number => {
      const prototype = ask<Runtime.EvaluateReturnType>(inspector, "Runtime.evaluate", {
        expression: `globalThis[${JSON.stringify(place)}].${name}`
      }).result.objectId
      const { objects } = ask<Runtime.QueryObjectsReturnType>(inspector, "Runtime.queryObjects", {
        prototypeObjectId: prototype,
        objectGroup: place
      })
      const { result } = ask<Runtime.CallFunctionOnReturnType>(inspector, "Runtime.callFunctionOn", {
        objectId: objects.objectId,
        functionDeclaration: `function() { let sum = 0; for (const one of this) { ${count} } return sum }`,
        returnByValue: true
      })
      return Number(result.value)
    }
    const census = {
      fibers: sum("fibers", "if (typeof one.unsafePoll === 'function' && one.unsafePoll() === null) sum++"),
      // A prototype is found as one of its own objects, and is none.
      mapEntries: sum("maps", "if (one !== Map.prototype) sum += one.size"),
      setEntries: sum("sets", "if (one !== Set.prototype) sum += one.size"),
      listeners: sum(
        "emitters",
        "if (one._events) for (const name of Reflect.ownKeys(one._events)) sum += one.listenerCount(name)"
      )
    }
    ask(inspector, "Runtime.releaseObjectGroup", { objectGroup: place })
    return { ...census, children: children(), descriptors: descriptors() }
  } finally {
    inspector.disconnect()
  }
}

/** In this process the inspector answers at once. */
const ask = <A>(inspector: Session, method: string, params: object): A => {
  let answer: A | undefined
  inspector.post(method, params, (error, result) => {
    if (error !== null) throw new Error(`${method}: ${error.message}`)
    // The protocol's types are by method, and the method is right above.
    answer = result as A
  })
  if (answer === undefined) throw new Error(`${method} was not answered`)
  return answer
}

/** Open files; undefined where the system does not list them. */
export const descriptors = (): number | undefined => {
  try {
    // One of them is the list's own.
    return readdirSync("/proc/self/fd").length - 1
  } catch {
    return undefined
  }
}

/** Processes whose parent is this one, dead ones that nobody has looked after included. */
export const children = (): number | undefined => {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && parentOf(name) === process.pid).length
  } catch {
    return undefined
  }
}

const parentOf = (pid: string): number | undefined => {
  try {
    // The name, in brackets, may hold anything; what follows are numbers.
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1])
  } catch {
    // It has just ended.
    return undefined
  }
}

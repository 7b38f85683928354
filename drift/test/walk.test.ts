import * as Open from "@claude-duplex/protocol/schema/Open"
import { Schema } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { run } from "../src/drift.js"
import { observe } from "../src/evidence.js"
import type { Exception } from "../src/exceptions.js"
import { render } from "../src/finding.js"
import { reader } from "../src/ourSchemas.js"
import { load } from "../src/sdkTypes.js"

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "drift-"))
afterAll(() => fs.rmSync(folder, { recursive: true }))

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

interface Options {
  readonly recorded?: ReadonlyArray<unknown>
  readonly writer?: "cli" | "host"
  readonly exceptions?: ReadonlyArray<Exception>
}

/** The findings for a declaration file in which `Root` stands for the schema, without those that are expected anyway. */
const drift = (declarations: string, schema: Schema.Schema.Any, options: Options = {}): ReadonlyArray<string> => {
  const file = path.join(folder, "sdk.d.ts")
  fs.writeFileSync(file, `${declarations}\nexport {}`)
  const read = reader()
  const recorded = new Set<string>()
  for (const value of options.recorded ?? []) observe(read(schema.ast), value, recorded)
  return run({
    sdk: load(file, import.meta.dirname),
    roots: [{ sdk: "Root", ours: "Ours", ast: schema.ast, writer: options.writer ?? "cli" }],
    read,
    hostNodes: new Set(),
    recorded,
    protocolNames: [/^SDK.*Message$/],
    exceptions: options.exceptions ?? []
  }).findings.map(render)
}

const Text = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }).annotations({ identifier: "Text" })
const Image = Schema.Struct({ type: Schema.Literal("image"), data: optional(Schema.String) }).annotations({
  identifier: "Image"
})
const Block = Open.union("type", [Text, Image])
const bothBlocks = `
  type SDKText = { type: "text"; text: string }
  type SDKImage = { type: "image"; data?: string }
`

describe("what the SDK has and we do not", () => {
  it("finds nothing where both agree", () => {
    assert.deepStrictEqual(drift(`${bothBlocks} type Root = SDKText | SDKImage`, Block), [])
  })

  it("finds a field, at any depth", () => {
    const declarations = `type Leaf = { a: string; b?: number }; type Root = { list: Array<Record<string, Leaf>> }`
    const ours = Schema.Struct({
      list: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Struct({ a: Schema.String }) }))
    })
    assert.deepStrictEqual(drift(declarations, ours), ["Leaf.b  in the SDK, not modelled by Ours.list[]{}"])
  })

  it("finds a union member that an open union would only keep", () => {
    const declarations = `${bothBlocks} type SDKSound = { type: "sound" }; type Root = SDKText | SDKImage | SDKSound`
    assert.deepStrictEqual(drift(declarations, Block), ["SDKSound  in the SDK, only kept as unrecognized by Ours"])
  })

  it("finds a union member that a closed union would refuse", () => {
    const declarations = `${bothBlocks} type SDKSound = { type: "sound" }; type Root = SDKText | SDKImage | SDKSound`
    const found = drift(declarations, Schema.Union(Text, Image))
    assert.deepStrictEqual(found, ["SDKSound  in the SDK, not modelled by Ours"])
  })

  it("finds a literal, also where our list of them is open", () => {
    const declarations = `type Root = { open: "a" | "b"; closed?: "a" | "b"; type: "x" | "y" }`
    const ours = Schema.Struct({
      open: Open.literal("a"),
      closed: optional(Schema.Literal("a")),
      type: Open.except([], "x")
    })
    assert.deepStrictEqual(drift(declarations, ours), [
      "Root.closed \"b\"  in the SDK, refused by Ours.closed",
      "Root.open \"b\"  in the SDK, not listed by Ours.open",
      "Root.type \"y\"  in the SDK, not listed by Ours.type"
    ])
  })

  it("finds a literal that no member claims, where one type of the SDK's stands for several of ours", () => {
    const declarations = `type Root = { type: "text" | "image" | "sound"; text: string; data?: string }`
    assert.include(drift(declarations, Block), "Root.type \"sound\"  in the SDK, not modelled by Ours")
  })

  it("finds a kind that we would refuse", () => {
    const declarations = `type Root = { a: string | null; b: number[]; c: Record<string, string>; d: any; e: unknown }`
    const ours = Schema.Struct({
      a: Schema.String,
      b: Schema.Number,
      c: Schema.Record({ key: Schema.String, value: Schema.Number }),
      d: Schema.String,
      e: Schema.String
    })
    assert.deepStrictEqual(drift(declarations, ours), [
      "Root.a  may be null in the SDK, only string in Ours.a",
      "Root.b  may be array in the SDK, only number in Ours.b",
      "Root.c{}  may be string in the SDK, only number in Ours.c{}",
      "Root.d  any in the SDK, string in Ours.d",
      "Root.e  any in the SDK, string in Ours.e"
    ])
  })

  it("finds what we require and the SDK may leave out", () => {
    const ours = Schema.Struct({ a: Schema.String, b: Schema.Number })
    assert.deepStrictEqual(drift(`type Root = { a?: string }`, ours, { recorded: [{ a: "", b: 1 }] }), [
      "Root.a  optional in the SDK, required by Ours",
      "Root.b  absent from the SDK, required by Ours"
    ])
  })

  it("finds what we may leave out of what we send, and not of what we read", () => {
    const ours = Schema.Struct({ a: optional(Schema.String) })
    assert.deepStrictEqual(drift(`type Root = { a: string }`, ours), [])
    assert.deepStrictEqual(drift(`type Root = { a: string }`, ours, { writer: "host" }), [
      "Root.a  required in the SDK, optional in Ours"
    ])
  })

  it("stops where ours is opaque, except for values that are no objects", () => {
    const JsonObject = Schema.Record({ key: Schema.String, value: Schema.Unknown })
    const ours = Schema.Struct({ any: Schema.Unknown, object: JsonObject, other: JsonObject })
    const declarations = `type Root = { any: { deep: 1 }; object: { deep: 1 }; other: string }`
    assert.deepStrictEqual(drift(declarations, ours), [
      "Root.other  may be string in the SDK, only record in Ours.other"
    ])
  })

  it("finds a type of the protocol that no root leads to", () => {
    const declarations = `type SDKLostMessage = { type: "lost" }; type Root = { a: string }`
    assert.deepStrictEqual(drift(declarations, Schema.Struct({ a: Schema.String })), [
      "SDKLostMessage  in the SDK, not reached from any root"
    ])
  })
})

describe("what we have and the SDK does not", () => {
  const ours = Schema.Struct({
    a: Schema.String,
    extra: optional(Schema.Struct({ inner: optional(Schema.Number), unseen: optional(Schema.Number) })),
    level: optional(Schema.NullOr(Open.literal("low", "high"))),
    block: optional(Block)
  })
  const declarations = `type SDKText = { type: "text"; text: string };
    type Root = { a: string; level?: "low"; block?: SDKText }`

  it("finds fields, members, literals and null", () => {
    assert.deepStrictEqual(drift(declarations, ours), [
      "Ours.extra  modelled, not in the SDK (Root) nor in a recording",
      "Ours.level \"high\"  modelled, not in the SDK (Root.level) nor in a recording",
      "Ours.block Image  modelled, not in the SDK (Root.block) nor in a recording",
      "Ours.level null  modelled, not in the SDK (Root.level) nor in a recording"
    ])
  })

  it("takes a recording as evidence, for as deep as it goes", () => {
    const recorded = [
      { a: "", extra: { inner: 1 }, level: null },
      { a: "", level: "high", block: { type: "image", data: "" } }
    ]
    assert.deepStrictEqual(drift(declarations, ours, { recorded }), [
      "Ours.extra.unseen  modelled, not in the SDK nor in a recording"
    ])
  })

  it("takes no evidence from a frame that does not fit", () => {
    const found = drift(declarations, ours, { recorded: [{ a: 1, extra: {} }] })
    assert.include(found, "Ours.extra  modelled, not in the SDK (Root) nor in a recording")
  })

  it("does not ask twice about a schema that is used in two places", () => {
    const shared = Schema.Struct({ one: Block, two: Block })
    const types = `${bothBlocks} type Root = { one: SDKText; two: SDKImage }`
    assert.deepStrictEqual(drift(types, shared), [])
  })
})

describe("exceptions", () => {
  const ours = Schema.Struct({ a: Schema.String })
  const finding = "Root.b  in the SDK, not modelled by Ours"

  it("excuse a finding", () => {
    const exceptions = [{ finding, reason: "a test" }]
    assert.deepStrictEqual(drift(`type Root = { a: string; b?: string }`, ours, { exceptions }), [])
  })

  it("are found when they excuse nothing", () => {
    const exceptions = [{ finding, reason: "a test" }]
    assert.deepStrictEqual(drift(`type Root = { a: string }`, ours, { exceptions }), [
      `${finding}  (an exception that excuses nothing)`
    ])
  })
})

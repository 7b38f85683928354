import * as McpTool from "@claude-duplex/mcp/McpTool"
import { assert, describe, it } from "@effect/vitest"
import { Context, Data, Deferred, Effect, Exit, Fiber, Logger, Schema } from "effect"
import { failed, said } from "./support/mcpClient.js"

const call: McpTool.Call = { toolUseId: undefined, meta: {}, progress: () => Effect.void }

const returning = <E, R>(run: () => Effect.Effect<McpTool.Output, E, R>) =>
  McpTool.make({ name: "t", description: "d", input: Schema.Struct({}), run })

const inputOf = <A, I extends object>(input: Schema.Schema<A, I>) =>
  McpTool.make({ name: "t", description: "d", input, run: () => Effect.succeed("") }).definition.inputSchema

describe("input", () => {
  const tool = McpTool.make({
    name: "t",
    description: "d",
    input: Schema.Struct({
      when: Schema.Date,
      count: Schema.optionalWith(Schema.Int, { default: () => 1 }),
      inner: Schema.optional(Schema.Struct({ names: Schema.Array(Schema.String) }))
    }),
    run: ({ count, when }) => Effect.succeed(`${when.getUTCFullYear()} ${count}`)
  })

  it.effect("is decoded", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* tool.call({ when: "2024-02-29T00:00:00Z" }, call), said("2024 1"))
    }))

  it.effect("that does not fit is told to the model, all of it", () =>
    Effect.gen(function*() {
      const result = yield* tool.call({ count: 1.5, inner: { names: ["a", 1] } }, call)
      assert.deepStrictEqual(
        result,
        failed([
          "Invalid input:",
          "- when: is missing",
          "- count: Expected an integer, actual 1.5",
          "- inner.names.1: Expected string, actual 1"
        ].join("\n"))
      )
    }))
})

describe("results", () => {
  it.effect("are text, contents, or whole", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* returning(() => Effect.succeed("")).call({}, call), said(""))
      const bytes = new Uint8Array([137, 80, 78, 71])
      const contents = [McpTool.text("a"), McpTool.image(bytes, "image/png"), McpTool.image("iVBORw==", "image/png")]
      assert.deepStrictEqual(yield* returning(() => Effect.succeed(contents)).call({}, call), {
        content: [
          { type: "text", text: "a" },
          { type: "image", data: "iVBORw==", mimeType: "image/png" },
          { type: "image", data: "iVBORw==", mimeType: "image/png" }
        ]
      })
      const whole = { ...McpTool.failed("no"), _meta: { a: 1 }, structuredContent: undefined }
      const result = yield* returning(() => Effect.succeed(whole)).call({}, call)
      assert.deepStrictEqual(result, { content: [McpTool.text("no")], isError: true, _meta: { a: 1 } })
    }))

  it.effect("with a schema are encoded, and plain JSON", () =>
    Effect.gen(function*() {
      const tool = McpTool.make({
        name: "t",
        description: "d",
        input: Schema.Struct({}),
        output: Schema.Struct({ at: Schema.Date, note: Schema.optional(Schema.String) }),
        run: () => Effect.succeed({ at: new Date(0), note: undefined })
      })
      assert.deepStrictEqual(yield* tool.call({}, call), {
        content: [McpTool.text(`{"at":"1970-01-01T00:00:00.000Z"}`)],
        structuredContent: { at: "1970-01-01T00:00:00.000Z" }
      })
      assert.deepStrictEqual(tool.definition.outputSchema?.["required"], ["at"])
    }))
})

describe("what goes wrong", () => {
  class NotFound extends Data.TaggedError("NotFound")<{ readonly path: string }> {
    override get message() {
      return `There is no ${this.path}`
    }
  }
  class Wordless extends Data.TaggedError("Wordless") {}

  for (
    const [name, error, text] of [
      ["a tagged error", new NotFound({ path: "x" }), "There is no x"],
      ["an error without words", new Wordless(), "Wordless"],
      ["a string", "No", "No"],
      ["an Error", new Error("Nope"), "Nope"],
      ["something else", 42, "The tool failed."]
    ] as const
  ) {
    it.effect(`is told in its own words: ${name}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* returning(() => Effect.fail(error)).call({}, call), failed(text))
      }))
  }

  for (
    const [name, tool] of [
      ["dies", returning(() => Effect.die(new Error("secret")))],
      [
        "throws",
        returning((): Effect.Effect<string> => {
          throw new Error("secret")
        })
      ],
      ["returns what is not JSON", returning(() => Effect.succeed([{ type: "text", text: "", secret: 1n }]))],
      [
        "returns what does not fit its schema",
        McpTool.make({
          name: "t",
          description: "d",
          input: Schema.Struct({}),
          output: Schema.Struct({ n: Schema.Int }),
          run: () => Effect.succeed({ n: 1.5 })
        })
      ]
    ] as const
  ) {
    it.effect(`is logged, and not told, if it ${name}`, () =>
      Effect.gen(function*() {
        const logged: Array<unknown> = []
        const logger = Logger.make(({ message }) => void logged.push(message))
        const result = yield* tool.call({}, call).pipe(
          Effect.provide(Logger.replace(Logger.defaultLogger, logger))
        )
        assert.deepStrictEqual(result, failed("The tool failed."))
        assert.deepStrictEqual(logged, [["The MCP tool t died."]])
      }))
  }

  it.effect("is not made of an interruption", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const fiber = yield* Effect.fork(
        returning(() => Effect.zipRight(Deferred.succeed(started, undefined), Effect.never)).call({}, call)
      )
      yield* Deferred.await(started)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
      assert.isTrue(Exit.isInterrupted(yield* Effect.exit(returning(() => Effect.interrupt).call({}, call))))
    }))
})

describe("definition", () => {
  it("says what there is to say, and nothing undefined", () => {
    const tool = McpTool.make({
      name: "t",
      description: "d",
      input: Schema.Struct({ a: Schema.Number.annotations({ description: "one" }) }),
      annotations: { title: "T", readOnlyHint: true, openWorldHint: undefined },
      alwaysLoad: true,
      meta: { x: 1 },
      run: () => Effect.succeed("")
    })
    assert.deepStrictEqual(tool.definition, {
      name: "t",
      description: "d",
      inputSchema: {
        type: "object",
        required: ["a"],
        properties: { a: { type: "number", description: "one" } },
        additionalProperties: false
      },
      annotations: { title: "T", readOnlyHint: true },
      _meta: { x: 1, "anthropic/alwaysLoad": true }
    })
  })

  it("has an object at the root of its schema, whatever the schema is called", () => {
    class Named extends Schema.Class<Named>("Named")({ a: Schema.String }) {}
    const a = { type: "object", required: ["a"], properties: { a: { type: "string" } }, additionalProperties: false }
    assert.deepStrictEqual(inputOf(Named), a)
    assert.deepStrictEqual(inputOf(Schema.Struct({ a: Schema.String }).annotations({ identifier: "a/b c" })), a)
    assert.deepStrictEqual(inputOf(Schema.Struct({ a: Schema.String }).pipe(Schema.filter(() => true))), a)
    assert.deepStrictEqual(inputOf(Schema.Struct({ inner: Named }))["properties"], { inner: a })
  })

  it("keeps what refers to itself", () => {
    interface Tree {
      readonly kids: ReadonlyArray<Tree>
    }
    const Tree: Schema.Schema<Tree> = Schema.Struct({ kids: Schema.Array(Schema.suspend(() => Tree)) }).annotations({
      identifier: "Tree"
    })
    const { $defs, ...root } = inputOf(Tree)
    assert.deepStrictEqual(root["properties"], { kids: { type: "array", items: { $ref: "#/$defs/Tree" } } })
    assert.deepStrictEqual($defs, { Tree: root })
  })

  it("is of a schema that the API reads", () => {
    assert.deepStrictEqual(
      inputOf(Schema.Struct({ t: Schema.Tuple(Schema.String), u: Schema.Unknown }))["properties"],
      {
        t: { type: "array", minItems: 1, prefixItems: [{ type: "string" }], items: false },
        u: { title: "unknown" }
      }
    )
    const nothing = { type: "object", properties: {}, additionalProperties: false }
    assert.deepStrictEqual(inputOf(Schema.Struct({})), nothing)
    assert.deepStrictEqual(inputOf(Schema.Record({ key: Schema.String, value: Schema.Never })), nothing)
  })

  it("that the CLI would drop is refused", () => {
    const union = Schema.Union(Schema.Struct({ a: Schema.String }), Schema.Struct({ b: Schema.String }))
    assert.throws(() => inputOf(union), "The input of the tool t must be an object")
    assert.throws(() => inputOf(Schema.Array(Schema.String)), "must be an object")
    assert.throws(
      () =>
        McpTool.make({
          name: "t",
          description: "d",
          input: Schema.Struct({}),
          output: Schema.Array(Schema.String),
          run: () => Effect.succeed([])
        }),
      "The output of the tool t"
    )
  })
})

it.effect("what it needs is in its type", () =>
  Effect.gen(function*() {
    class Unit extends Context.Tag("Unit")<Unit, string>() {}
    class Scale extends Context.Tag("Scale")<Scale, number>() {}
    const Scaled = Schema.transformOrFail(Schema.Number, Schema.Number, {
      strict: true,
      decode: (n) => Effect.map(Scale, (scale) => n * scale),
      encode: (n) => Effect.succeed(n)
    })
    const tool = McpTool.make({
      name: "t",
      description: "d",
      input: Schema.Struct({ n: Scaled }),
      run: ({ n }) => Effect.map(Unit, (unit) => `${n} ${unit}`)
    })
    const typed: McpTool.McpTool<Unit | Scale> = tool
    // @ts-expect-error: it needs both.
    const wrong: McpTool.McpTool<Unit> = tool
    assert.strictEqual<unknown>(typed, wrong)
    const result = yield* tool.call({ n: 2 }, call).pipe(
      Effect.provideService(Unit, "m"),
      Effect.provideService(Scale, 3)
    )
    assert.deepStrictEqual(result, said("6 m"))
  }))

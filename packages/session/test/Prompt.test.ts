import * as Codec from "@claude-duplex/protocol/Codec"
import { PromptBlock } from "@claude-duplex/protocol/schema/ContentBlock"
import * as Prompt from "@claude-duplex/session/Prompt"
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc, Schema } from "effect"

/** The prompt as the CLI reads it: what is not valid is refused before it is written. */
const sent = (prompt: Prompt.Prompt): unknown => {
  const frame = { type: "user", message: { role: "user", content: prompt } } as const
  // Just written from a frame of this form.
  return (JSON.parse(Either.getOrThrow(Codec.host.encode(frame))) as typeof frame).message.content
}

describe("blocks", () => {
  it("text", () => {
    assert.deepStrictEqual(sent("hi"), "hi")
    assert.deepStrictEqual(sent([Prompt.text("hi")]), [{ type: "text", text: "hi" }])
  })

  it("images: bytes, base64, an address, an upload", () => {
    const source = { type: "base64", media_type: "image/png", data: "iVBORw==" }
    assert.deepStrictEqual(
      sent([
        Prompt.image({ data: new Uint8Array([0x89, 0x50, 0x4e, 0x47]), mediaType: "image/png" }),
        Prompt.image({ data: "iVBORw==", mediaType: "image/png" }),
        Prompt.image({ url: "https://example.com/a.png" }),
        Prompt.image({ fileId: "file_1" })
      ]),
      [
        { type: "image", source },
        { type: "image", source },
        { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
        { type: "image", source: { type: "file", file_id: "file_1" } }
      ]
    )
  })

  it("documents: a PDF unless told otherwise, text, an address, an upload", () => {
    const bytes = new TextEncoder().encode("%PDF")
    assert.deepStrictEqual(
      sent([
        Prompt.document({ data: bytes }),
        Prompt.document({ data: "JVBERg==", mediaType: "application/x-pdf" }),
        Prompt.document({ text: "words", title: "T", context: "C", citations: true }),
        Prompt.document({ url: "https://example.com/a.pdf", title: undefined }),
        Prompt.document({ fileId: "file_1", citations: false })
      ]),
      [
        { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERg==" } },
        { type: "document", source: { type: "base64", media_type: "application/x-pdf", data: "JVBERg==" } },
        {
          type: "document",
          source: { type: "text", media_type: "text/plain", data: "words" },
          title: "T",
          context: "C",
          citations: { enabled: true }
        },
        { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
        { type: "document", source: { type: "file", file_id: "file_1" }, citations: { enabled: false } }
      ]
    )
  })

  it("tool results: text, blocks, nothing, an error", () => {
    assert.deepStrictEqual(
      sent([
        Prompt.toolResult({ toolUseId: "t1", content: "ok" }),
        Prompt.toolResult({ toolUseId: "t2", content: [Prompt.text("ok"), Prompt.image({ fileId: "f" })] }),
        Prompt.toolResult({ toolUseId: "t3" }),
        Prompt.toolResult({ toolUseId: "t4", content: "no", isError: true })
      ]),
      [
        { type: "tool_result", tool_use_id: "t1", content: "ok" },
        {
          type: "tool_result",
          tool_use_id: "t2",
          content: [{ type: "text", text: "ok" }, { type: "image", source: { type: "file", file_id: "f" } }]
        },
        { type: "tool_result", tool_use_id: "t3" },
        { type: "tool_result", tool_use_id: "t4", content: "no", is_error: true }
      ]
    )
  })
})

it("any bytes survive, a view of a larger buffer too", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(8), (bytes, offset) => {
    const view = bytes.subarray(Math.min(offset, bytes.length))
    const { source } = Prompt.image({ data: view, mediaType: "image/png" })
    if (source.type !== "base64") return assert.fail("bytes are base64")
    assert.strictEqual(source.data, Buffer.from(view).toString("base64"))
  }))
})

it("whatever is given, the block is one of a prompt's", () => {
  const isBlock = Schema.is(PromptBlock)
  const maybe = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined })
  fc.assert(fc.property(
    fc.string(),
    maybe(fc.string()),
    maybe(fc.boolean()),
    (word, other, flag) => {
      const blocks = [
        Prompt.text(word),
        Prompt.document({ text: word, title: other, context: other, citations: flag }),
        Prompt.document({ data: word, mediaType: other }),
        Prompt.toolResult({ toolUseId: word, content: other, isError: flag })
      ]
      for (const block of blocks) assert.isTrue(isBlock(block))
      sent(blocks)
    }
  ))
})

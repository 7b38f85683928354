/**
 * What is said to the model: text, or blocks. This owns how blocks are made (base64, media types, wire names); what a block
 * may be is the protocol's, and whether a frame with it can be sent is checked when it is written.
 *
 * Blocks are plain objects of the wire: one that is not made here (`search_result`, a `cache_control`) can be written by
 * hand and put beside the others.
 *
 * @since 0.1.0
 * @stability stable
 */
import type {
  DocumentBlock,
  ImageBlock,
  PromptBlock,
  TextBlock,
  ToolResultBlock
} from "@claude-duplex/protocol/schema/ContentBlock"
import * as Encoding from "effect/Encoding"

/** What is said: text, or blocks. */
export type Prompt = string | ReadonlyArray<PromptBlock>

/** Bytes that travel in the prompt itself. */
export interface Bytes<MediaType extends string> {
  /** The bytes, or their base64: without line breaks, and without `data:` in front. */
  readonly data: Uint8Array | string
  readonly mediaType: MediaType
}

/** Bytes that the API fetches from an address. */
export interface Url {
  readonly url: string
}

/** Bytes that were uploaded to the API before. */
export interface File {
  readonly fileId: string
}

/** Kinds of image that the API takes. Another one is sent as it is named. */
export type ImageMediaType = "image/png" | "image/jpeg" | "image/gif" | "image/webp" | (string & {})

/** Where an image comes from. */
export type ImageInput = Bytes<ImageMediaType> | Url | File

/** A PDF's bytes, plain text, or where either is found. */
export type DocumentSource =
  | (Omit<Bytes<string>, "mediaType"> & {
    /** Default: `application/pdf`. */
    readonly mediaType?: "application/pdf" | (string & {}) | undefined
  })
  | { readonly text: string }
  | Url
  | File

/** A document, and what the model is told of it. */
export type DocumentInput = DocumentSource & {
  readonly title?: string | undefined
  /** What the model should know of it, without its being part of the text. */
  readonly context?: string | undefined
  /** Whether the model is to say where in it something stands. */
  readonly citations?: boolean | undefined
}

/** What a tool answered. */
export interface ToolResultInput {
  readonly toolUseId: string
  readonly content?: ToolResultBlock["content"] | undefined
  readonly isError?: boolean | undefined
}

/**
 * Text, as a block among others.
 *
 * @example
 * ```ts
 * import * as Prompt from "@claude-duplex/session/Prompt"
 *
 * const prompt: Prompt.Prompt = [Prompt.text("Is this a cat?"), Prompt.image({ url: "https://example.com/cat.png" })]
 * ```
 */
export const text = (text: string): TextBlock => ({ type: "text", text })

/**
 * An image.
 *
 * @example
 * ```ts
 * import * as Prompt from "@claude-duplex/session/Prompt"
 *
 * Prompt.image({ data: new Uint8Array([0x89, 0x50]), mediaType: "image/png" })
 * ```
 */
export const image = (input: ImageInput): ImageBlock => ({
  type: "image",
  source: "url" in input
    ? { type: "url", url: input.url }
    : "fileId" in input
    ? { type: "file", file_id: input.fileId }
    : { type: "base64", media_type: input.mediaType, data: base64(input.data) }
})

/**
 * A document.
 *
 * @example
 * ```ts
 * import * as Prompt from "@claude-duplex/session/Prompt"
 *
 * Prompt.document({ text: "All sales are final.", title: "Terms", citations: true })
 * ```
 */
export const document = (input: DocumentInput): DocumentBlock => ({
  type: "document",
  source: documentSource(input),
  ...(input.title === undefined ? {} : { title: input.title }),
  ...(input.context === undefined ? {} : { context: input.context }),
  ...(input.citations === undefined ? {} : { citations: { enabled: input.citations } })
})

/**
 * What a tool answered, for a call that the host carries out itself.
 *
 * @example
 * ```ts
 * import * as Prompt from "@claude-duplex/session/Prompt"
 *
 * Prompt.toolResult({ toolUseId: "toolu_1", content: "no such file", isError: true })
 * ```
 */
export const toolResult = (input: ToolResultInput): ToolResultBlock => ({
  type: "tool_result",
  tool_use_id: input.toolUseId,
  ...(input.content === undefined ? {} : { content: input.content }),
  ...(input.isError === undefined ? {} : { is_error: input.isError })
})

const documentSource = (input: DocumentSource): DocumentBlock["source"] =>
  "text" in input
    ? { type: "text", media_type: "text/plain", data: input.text }
    : "url" in input
    ? { type: "url", url: input.url }
    : "fileId" in input
    ? { type: "file", file_id: input.fileId }
    : { type: "base64", media_type: input.mediaType ?? "application/pdf", data: base64(input.data) }

// `Encoding` would take a string as text to encode; here it is encoded already.
const base64 = (data: Uint8Array | string): string => typeof data === "string" ? data : Encoding.encodeBase64(data)

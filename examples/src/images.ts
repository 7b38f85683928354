/**
 * A prompt of several parts: text, images, documents. Bytes travel in the prompt itself, in base64; or the API fetches them
 * from an address, or has them already.
 */
import * as Prompt from "@claude-duplex/session/Prompt"
import * as Session from "@claude-duplex/session/Session"
import { Console, Effect, Layer } from "effect"
import { recorded } from "./support/fakes.js"

/** A picture of one pixel. With a file: `readFileSync("cat.png")`. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)

const prompt: Prompt.Prompt = [
  Prompt.text("look"),
  Prompt.image({ data: pixel, mediaType: "image/png" }),
  Prompt.document({ text: "All sales are final.", title: "Terms", citations: true })
]

const program = Effect.flatMap(Session.Session, (session) => session.send(prompt))

const { text } = await Effect.runPromise(
  Effect.provide(program, Layer.provide(Session.layer(), recorded("image")))
)
await Effect.runPromise(Console.log(text))

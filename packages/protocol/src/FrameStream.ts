/**
 * The codec as `Stream` and `Channel`. Decoding takes one step per chunk of bytes, never one per frame.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Channel from "effect/Channel"
import * as Chunk from "effect/Chunk"
import * as Stream from "effect/Stream"
import * as Codec from "./Codec.js"
import type { EncodeError } from "./EncodeError.js"
import type * as Frame from "./Frame.js"
import type * as LineDecoder from "./LineDecoder.js"

/**
 * Bytes of a CLI's stdout to frames, as a channel. A line that cannot be decoded is an item; the stream goes on.
 *
 * @example
 * ```ts
 * import * as FrameStream from "@claude-duplex/protocol/FrameStream"
 * import { Stream } from "effect"
 *
 * const frames = Stream.pipeThroughChannel(
 *   Stream.make(new TextEncoder().encode(`{"type":"keep_alive"}\n`)),
 *   FrameStream.decodeChannel()
 * )
 * ```
 */
export const decodeChannel = <E>(
  options?: LineDecoder.Options
): Channel.Channel<Chunk.Chunk<Codec.Item>, Chunk.Chunk<Uint8Array>, E, E, unknown, unknown> =>
  Channel.suspend(() => {
    const decoder = Codec.cli.makeDecoder(options)
    const loop: Channel.Channel<Chunk.Chunk<Codec.Item>, Chunk.Chunk<Uint8Array>, E, E, unknown, unknown> = Channel
      .readWithCause({
        onInput: (chunks: Chunk.Chunk<Uint8Array>) =>
          Channel.zipRight(write(Chunk.toReadonlyArray(chunks).flatMap(decoder.push)), loop),
        onFailure: (cause) => Channel.zipRight(write(decoder.end()), Channel.failCause(cause)),
        onDone: (done) => Channel.as(write(decoder.end()), done)
      })
    return loop
  })

const write = (items: Array<Codec.Item>): Channel.Channel<Chunk.Chunk<Codec.Item>> =>
  items.length === 0 ? Channel.void : Channel.write(Chunk.unsafeFromArray(items))

/**
 * Bytes of a CLI's stdout to frames.
 *
 * @example
 * ```ts
 * import * as Frame from "@claude-duplex/protocol/Frame"
 * import * as FrameStream from "@claude-duplex/protocol/FrameStream"
 * import { Effect, Stream } from "effect"
 *
 * const program = Stream.make(new TextEncoder().encode(`{"type":"keep_alive"}\n`)).pipe(
 *   FrameStream.decode(),
 *   Stream.runForEach((item) => Effect.log(Frame.isKnown(item) ? item.type : item._tag))
 * )
 * ```
 */
export const decode =
  (options?: LineDecoder.Options) => <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Codec.Item, E, R> =>
    Stream.pipeThroughChannel(bytes, decodeChannel<E>(options))

/**
 * Frames of a host to lines, each without its newline. Fails on the first frame that may not be written.
 *
 * @example
 * ```ts
 * import * as FrameStream from "@claude-duplex/protocol/FrameStream"
 * import { Stream } from "effect"
 *
 * const lines = Stream.make({ type: "control_cancel_request", request_id: "1" } as const).pipe(FrameStream.encode)
 * ```
 */
export const encode = <E, R>(
  frames: Stream.Stream<Frame.HostFrame | Frame.Unknown, E, R>
): Stream.Stream<string, E | EncodeError, R> => Stream.mapEffect(frames, Codec.host.encode)

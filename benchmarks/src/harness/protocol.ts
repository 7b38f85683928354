/** What parent and child say to each other, over node's IPC channel. */
import { isObject } from "../json.js"

/** To the child: do so many passes, and tell how long they took. */
export interface RoundRequest {
  readonly passes: number
}

/** From the child. The first one, which answers nothing, says that the input is made. */
export interface RoundReply {
  readonly milliseconds: number
  /** Of this process alone: what a host pays, however long it waits for others. */
  readonly cpuMilliseconds: number
  /** What {@link Work} gave, summed. */
  readonly kept: number
}

/** Whether a message is a {@link RoundRequest}. */
export const isRoundRequest = (message: unknown): message is RoundRequest =>
  isObject(message) && typeof message["passes"] === "number"

/** Whether a message is a {@link RoundReply}. */
export const isRoundReply = (message: unknown): message is RoundReply =>
  isObject(message) && typeof message["milliseconds"] === "number" &&
  typeof message["cpuMilliseconds"] === "number" && typeof message["kept"] === "number"

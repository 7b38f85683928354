/**
 * What runs in the CLI beside the model: tools, by what the model asked for and what came back, and tasks in the background,
 * as far as the CLI tells. A CLI that waits for a tool is silent for a reason; and one whose task ends starts a turn.
 */
import type { Item } from "@claude-duplex/protocol/Codec"
import { isKnown } from "@claude-duplex/protocol/Frame"

export class OpenWork {
  readonly #tools = new Set<string>()
  #tasks = 0

  get hasTools(): boolean {
    return this.#tools.size > 0
  }

  get hasTasks(): boolean {
    return this.#tasks > 0
  }

  see(item: Item): void {
    if (!isKnown(item)) return
    switch (item.type) {
      case "assistant":
        for (const block of item.message.content) if (block.type === "tool_use") this.#tools.add(block.id)
        break
      case "user": {
        const { content } = item.message
        if (typeof content === "string") break
        for (const block of content) if (block.type === "tool_result") this.#tools.delete(block.tool_use_id)
        break
      }
      case "result":
        this.#tools.clear()
        break
      case "system":
        // Ambient ones never end, and start nothing.
        if (item.subtype === "background_tasks_changed") {
          this.#tasks = item.tasks.filter(({ ambient }) => ambient !== true).length
        }
        break
    }
  }

  clear(): void {
    this.#tools.clear()
    this.#tasks = 0
  }
}

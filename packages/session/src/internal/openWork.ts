/**
 * What runs in the CLI beside the model: tools, by what the model asked for and what came back, and tasks in the background,
 * as far as the CLI tells. A CLI that waits for a tool is silent for a reason; and one whose task ends starts a turn.
 */
import type { Item } from "@claude-duplex/protocol/Codec"
import { isKnown } from "@claude-duplex/protocol/Frame"

export class OpenWork {
  readonly #tools = new Set<string>()
  #tasks = 0
  #isInTurn = false
  /** How many results may come until the turn that the end of a task starts is over. */
  #turnsAfterTask = 0

  get hasTools(): boolean {
    return this.#tools.size > 0
  }

  get hasTasks(): boolean {
    return this.#tasks > 0
  }

  /** Whether the next turn may be one that the CLI starts by itself, because a task in the background runs or has just ended. */
  get mayStartTurn(): boolean {
    return this.#tasks > 0 || this.#turnsAfterTask > 0
  }

  see(item: Item): void {
    if (!isKnown(item)) return
    switch (item.type) {
      case "assistant":
        // A subagent in the background may go on between turns.
        if (item.parent_tool_use_id === null) this.#isInTurn = true
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
        this.#isInTurn = false
        this.#turnsAfterTask = Math.max(0, this.#turnsAfterTask - 1)
        break
      case "system":
        if (item.subtype === "init") this.#isInTurn = true
        if (item.subtype === "background_tasks_changed") {
          // Ambient ones never end, and start nothing.
          const tasks = item.tasks.filter(({ ambient }) => ambient !== true).length
          // The turn that the end of a task starts comes after the one that runs.
          if (tasks < this.#tasks) this.#turnsAfterTask = this.#isInTurn ? 2 : 1
          this.#tasks = tasks
        }
        break
    }
  }

  clear(): void {
    this.#tools.clear()
    this.#tasks = 0
    this.#isInTurn = false
    this.#turnsAfterTask = 0
  }
}

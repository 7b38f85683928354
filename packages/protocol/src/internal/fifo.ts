/** How many places an empty queue keeps. */
const keptPlaces = 1_024

/**
 * A first-in-first-out queue for plain code. It allocates nothing for an item, where Effect's `MutableList` allocates a node, and
 * reuses its array when all items were taken.
 */
export class Fifo<A> {
  #items: Array<A | undefined> = []
  /** The index of the first item, and of the first free place. */
  #first = 0
  #end = 0

  get isEmpty(): boolean {
    return this.#first === this.#end
  }

  /** How many places are allocated, for tests of bounded memory. */
  get places(): number {
    return this.#items.length
  }

  /** The first item, which stays. */
  get head(): A | undefined {
    return this.#items[this.#first]
  }

  push(item: A): void {
    this.#items[this.#end++] = item
  }

  /** Takes the first item. */
  shift(): A | undefined {
    if (this.#first === this.#end) return undefined
    const item = this.#items[this.#first]
    // An item that was taken is not retained.
    this.#items[this.#first++] = undefined
    if (this.#first === this.#end) this.clear()
    // A queue that is never empty must not grow either.
    else if (this.#first >= keptPlaces && this.#first * 2 >= this.#end) {
      this.#items = this.#items.slice(this.#first, this.#end)
      this.#end -= this.#first
      this.#first = 0
    }
    return item
  }

  clear(): void {
    if (this.#items.length > keptPlaces) this.#items = []
    else if (this.#end > this.#first) this.#items.fill(undefined, this.#first, this.#end)
    this.#first = 0
    this.#end = 0
  }
}

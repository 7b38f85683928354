/** The last so many names: a memory that does not grow with the file. */
export class Remembered {
  readonly #most: number
  readonly #names = new Set<string>()

  constructor(most: number) {
    this.#most = most
  }

  has(name: string): boolean {
    return this.#names.has(name)
  }

  add(name: string): void {
    this.#names.add(name)
    if (this.#names.size <= this.#most) return
    // The oldest: sets are in the order of insertion.
    for (const oldest of this.#names) {
      this.#names.delete(oldest)
      return
    }
  }
}

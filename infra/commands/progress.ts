/** Prints to standard error how far a command is, at most every ten seconds. */
export class Progress {
  /** How many are done. */
  done = 0
  readonly #things: string
  #reportedAt = performance.now()

  /** Begins to count `things`, such as `of 1,000 pets`. */
  constructor(things: string) {
    this.#things = things
  }

  /** Call it when one is done. */
  count(): void {
    this.done++
    this.report()
  }

  /** Call it when one is delayed, with the reason. */
  report(delay = ''): void {
    if (performance.now() - this.#reportedAt < 10_000) return
    this.#reportedAt = performance.now()
    console.error(`${this.done} ${this.#things}. ${delay}`.trim())
  }
}

/** The calls of the database in one run of a transaction. If one fails, the run ends. */
export class RunCalls {
  /** Rejects when a call fails. */
  readonly #failure = Promise.withResolvers<never>()
  #pending = 0
  #hasEnded = false

  /**
   * Waits for a call. If it fails, `end` throws its error, and this never settles: a `catch` in the
   * work cannot hide an outage.
   */
  async wait<T>(call: Promise<T>): Promise<T> {
    this.#pending++
    try {
      const result = await call
      this.#pending--
      return result
    } catch (error) {
      this.#failure.reject(error)
      return new Promise(() => {})
    }
  }

  /** Waits until the work settles. Throws the error of a call that failed. */
  async end<T>(work: Promise<T>): Promise<PromiseSettledResult<T>> {
    const [outcome] = await Promise.race([Promise.allSettled([work]), this.#failure.promise])
    this.#hasEnded = true
    return outcome
  }

  /** Throws an Error if the work has settled. */
  assertOpen(): void {
    if (this.#hasEnded)
      throw new Error('The transaction has ended. Use tx only in the function that gets it.')
  }

  /** Throws an Error if a call is pending. */
  assertNonePending(): void {
    if (this.#pending > 0)
      throw new Error(
        'The function returned while a call with its tx was pending. Await each of them.',
      )
  }
}

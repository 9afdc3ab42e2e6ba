import { setTimeout as pause } from 'node:timers/promises'

/** Lets callers take turns, at most so many in a second. The signal ends their waiting. */
export class Pace {
  readonly #milliseconds: number
  readonly #signal: AbortSignal
  /** When the next turn begins, as `performance.now()`. */
  #next = 0

  constructor(perSecond: number, signal: AbortSignal) {
    this.#milliseconds = 1000 / perSecond
    this.#signal = signal
  }

  /** Resolves when it is the caller's turn. Throws the reason of the signal. */
  async turn(): Promise<void> {
    this.#signal.throwIfAborted()
    const wait = () => this.#next - performance.now()
    for (let left = wait(); left > 0; left = wait())
      await pause(left, undefined, { signal: this.#signal }).catch(() =>
        this.#signal.throwIfAborted(),
      )
    // Timers are late: turns may make up for 0.1 s.
    this.#next = Math.max(this.#next, performance.now() - 100) + this.#milliseconds
  }

  /** Begins no turn for so long, or for longer if that was asked for before. */
  delay(milliseconds: number): void {
    this.#next = Math.max(this.#next, performance.now() + milliseconds)
  }
}

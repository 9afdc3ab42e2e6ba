/** Prints to standard error how far a command is, every ten seconds. */
export class Progress {
  /** How many are done. */
  done = 0
  /** Why it takes longer than usual; empty if it does not. */
  delay = ''
  readonly #timer: NodeJS.Timeout

  /** Begins to count `things`, such as `pets`, of which there are `total`, if that is known. */
  constructor(things: string, total?: number) {
    const startedAt = performance.now()
    const of = total === undefined ? '' : ` of ${grouped(total)}`
    this.#timer = setInterval(() => {
      const perSecond = Math.round((1000 * this.done) / (performance.now() - startedAt))
      const line = `${grouped(this.done)}${of} ${things}, ${perSecond} a second. ${this.delay}`
      console.error(line.trim())
    }, 10_000).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

/** A number with thousands separators. */
export const grouped = (number: number): string => number.toLocaleString('en-US')

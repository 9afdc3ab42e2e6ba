/**
 * Shows on standard error how far a command is that takes longer than two seconds: a bar in a
 * terminal, and elsewhere a line every ten seconds. `total` is how many `things` there are.
 */
export class Progress {
  #done = 0
  readonly #things: string
  readonly #total: number | undefined
  readonly #output: Output
  readonly #startedAt = performance.now()
  readonly #timer: NodeJS.Timeout

  constructor(things: string, total?: number, output: Output = process.stderr) {
    this.#things = things
    this.#total = total
    this.#output = output
    this.#timer = setInterval(() => this.#show(), output.isTTY ? 500 : 10_000).unref()
  }

  /** Counts things as done. */
  add(count = 1): void {
    this.#done += count
  }

  /** Removes the bar until it is shown next, so that a line can be printed. */
  clear(): void {
    if (this.#output.isTTY) this.#output.write('\r\u001b[2K')
  }

  /** Writes a line to standard error. */
  say(line: string): void {
    this.clear()
    this.#output.write(`${line}\n`)
  }

  stop(): void {
    clearInterval(this.#timer)
    this.clear()
  }

  #show(): void {
    const seconds = (performance.now() - this.#startedAt) / 1000
    if (seconds <= 2) return
    this.clear()
    this.#output.write(this.#output.isTTY ? this.#text(seconds) : `${this.#text(seconds)}\n`)
  }

  #text(seconds: number): string {
    const done = this.#done
    const perSecond = done / seconds
    const speed = `${this.#things}, ${perSecond.toFixed(perSecond < 10 ? 1 : 0)} a second`
    // A total that was counted earlier may be too small by now.
    if (!this.#total || done > this.#total) return `${grouped(done)} ${speed}`
    const left = done === 0 ? '' : `, ${duration((this.#total - done) / perSecond)} left`
    const share = done / this.#total
    const bar = '█'.repeat(20 * share).padEnd(20, '░')
    const start = this.#output.isTTY ? bar : `${Math.floor(100 * share)} %:`
    return `${start} ${grouped(done)} of ${grouped(this.#total)} ${speed}${left}`
  }
}

type Output = { isTTY?: boolean; write: (text: string) => unknown }

/** A number with separators of thousands. */
export const grouped = (number: number): string => number.toLocaleString('en-US')

const duration = (seconds: number): string => {
  if (seconds < 100) return `${Math.ceil(seconds)} s`
  return seconds < 6000 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}

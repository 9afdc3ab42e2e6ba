type Output = { isTTY?: boolean; write: (text: string) => unknown }

/** Removes a line of a terminal. */
const CLEAR = '\r\u001b[2K'

/**
 * Shows on standard error how far a command is that takes longer than two seconds: a bar in a
 * terminal, and elsewhere a line every ten seconds. `total` is how many `things` there are.
 */
export class Progress {
  #done = 0
  readonly #things: string
  readonly #total: number
  readonly #output: Output
  readonly #startedAt = performance.now()
  readonly #timer: NodeJS.Timeout

  constructor(things: string, total = 0, output: Output = process.stderr) {
    this.#things = things
    this.#total = total
    this.#output = output
    this.#timer = setInterval(() => this.#show(), output.isTTY ? 500 : 10_000).unref()
  }

  /** Counts a thing as done. */
  add(): void {
    this.#done++
  }

  /** Removes the bar until it is shown next, so that a line can be printed. */
  clear(): void {
    if (this.#output.isTTY) this.#output.write(CLEAR)
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
    if (this.#output.isTTY) this.#output.write(CLEAR + this.#text(seconds))
    else this.say(this.#text(seconds))
  }

  #text(seconds: number): string {
    const perSecond = this.#done / seconds
    const speed = `${this.#things}, ${perSecond.toFixed(perSecond < 10 ? 1 : 0)} a second`
    // There may be no total, or one that was counted earlier and is too small by now.
    if (this.#done > this.#total || this.#total === 0) return `${grouped(this.#done)} ${speed}`
    const share = this.#done / this.#total
    const bar = '█'.repeat(20 * share).padEnd(20, '░')
    const start = this.#output.isTTY ? bar : `${Math.floor(100 * share)} %:`
    const end = this.#done > 0 ? `, ${duration((this.#total - this.#done) / perSecond)} left` : ''
    return `${start} ${grouped(this.#done)} of ${grouped(this.#total)} ${speed}${end}`
  }
}

/** A number with thousands separators. */
export const grouped = (number: number): string => number.toLocaleString('en-US')

const duration = (seconds: number): string => {
  if (seconds < 100) return `${Math.ceil(seconds)} s`
  return seconds < 6000 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}

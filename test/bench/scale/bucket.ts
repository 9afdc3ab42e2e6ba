/** Throughput of so many units a second. What is not used is kept, up to so many seconds of it. */
export class Bucket {
  readonly #perSecond: number
  readonly #most: number
  #units = 0
  #asked = 0
  #wasShort = false

  constructor(perSecond: number, keptSeconds: number) {
    this.#perSecond = perSecond
    this.#most = perSecond * (1 + keptSeconds)
  }

  /** Begins a second. Tells whether the one before asked for more than there was. */
  nextSecond(): boolean {
    const wasShort = this.#wasShort
    this.#wasShort = false
    this.#units = Math.min(this.#most, this.#units + this.#perSecond)
    return wasShort
  }

  /** Asks for so many units more. */
  ask(units: number): void {
    this.#asked += units
  }

  /** Which part of what is asked for there is: 1 for all of it. */
  share(): number {
    if (this.#asked <= this.#units) return 1
    this.#wasShort = true
    return this.#units / this.#asked
  }

  /** Takes this part of what is asked for; nothing is asked for then. */
  take(share: number): void {
    this.#units -= this.#asked * share
    this.#asked = 0
  }
}

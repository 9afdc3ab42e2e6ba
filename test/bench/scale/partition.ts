import { Bucket } from './bucket.ts'
import { limits } from './limits.ts'
import { compare, type Position } from './position.ts'

export type Kind = keyof typeof limits.partition

const REMEMBERED = 64

/** A partition of a table or an index: the items from one position on, up to the next partition. */
export class Partition {
  readonly from: Position
  readonly #throughput = {
    write: new Bucket(limits.partition.write, limits.burstSeconds),
    read: new Bucket(limits.partition.read, limits.burstSeconds),
  }
  readonly #recent: Position[] = []
  #touches = 0
  #hotSeconds = 0

  constructor(from: Position) {
    this.from = from
  }

  /** What a request for the item there takes from. */
  touch(kind: Kind, position: Position): Bucket {
    this.#recent[this.#touches++ % REMEMBERED] = position
    return this.#throughput[kind]
  }

  /** Begins a second. Tells where to split this partition, if it refused requests for long enough. */
  nextSecond(): Position | undefined {
    const wasShort = Object.values(this.#throughput).map((bucket) => bucket.nextSecond())
    if (wasShort.includes(true)) this.#hotSeconds++
    return this.#hotSeconds < limits.secondsBeforeSplit ? undefined : this.#middle()
  }

  /** Forgets how hot it was: half of that is another partition's now. */
  halve(): void {
    this.#hotSeconds = 0
    this.#recent.length = 0
    this.#touches = 0
  }

  // Split for heat: a half of the recent requests on either side. Not possible where all are for one item.
  #middle(): Position | undefined {
    const sorted = this.#recent.toSorted(compare)
    const [first] = sorted
    return first && sorted.slice(sorted.length >> 1).find((position) => compare(first, position) < 0)
  }
}

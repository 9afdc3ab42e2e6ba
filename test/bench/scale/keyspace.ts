import { Bucket } from './bucket.ts'
import { limits } from './limits.ts'
import { type Kind, Partition } from './partition.ts'
import { compare, HASHES, type Position } from './position.ts'

/** A table or an index: partitions by key range, which split where they are hot, and a quota over all of them. */
export class Keyspace {
  readonly #quota: Record<Kind, Bucket>
  readonly #partitions = Array.from(
    { length: limits.firstPartitions },
    (_, i) => new Partition({ hash: (i * HASHES) / limits.firstPartitions, sort: 0 }),
  )

  /** @param quota units a second, of reads and of writes */
  constructor(quota: number) {
    this.#quota = { write: new Bucket(quota, 0), read: new Bucket(quota, 0) }
  }

  get partitions(): number {
    return this.#partitions.length
  }

  /** What a request for the item there takes from. */
  touch(kind: Kind, position: Position): Bucket[] {
    return [this.#quota[kind], this.#partitionOf(position).touch(kind, position)]
  }

  nextSecond(): void {
    for (const bucket of Object.values(this.#quota)) bucket.nextSecond()
    for (let i = this.#partitions.length - 1; i >= 0; i--) {
      const middle = this.#partitions[i]?.nextSecond()
      if (!middle) continue
      const half = new Partition(middle)
      half.nextSecond()
      this.#partitions[i]?.halve()
      this.#partitions.splice(i + 1, 0, half)
    }
  }

  #partitionOf(position: Position): Partition {
    let low = 0
    let high = this.#partitions.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (compare(this.#at(middle).from, position) <= 0) low = middle
      else high = middle - 1
    }
    return this.#at(low)
  }

  #at(index: number): Partition {
    const partition = this.#partitions[index]
    if (!partition) throw new Error(`There is no partition ${index}.`)
    return partition
  }
}

/** Where an item is: the hash of its partition key, then its sort key (0 where a table has none). */
export type Position = { hash: number; sort: number }

/** How many hashes there are. */
export const HASHES = 2 ** 32

/** The position of an item. How DynamoDB hashes is not known: this is Murmur3's mixing, of 32 bits. */
export const positionOf = (partitionKey: string | number, sort = 0): Position => ({
  hash: typeof partitionKey === 'number' ? hashOfNumber(partitionKey) : hashOfText(partitionKey),
  sort,
})

/** Below zero where `a` comes before `b`. */
export const compare = (a: Position, b: Position): number =>
  a.hash - b.hash || (a.sort === b.sort ? 0 : a.sort - b.sort)

const hashOfNumber = (number: number): number => mix(mix(Math.floor(number / HASHES)) ^ (number % HASHES)) >>> 0

const hashOfText = (text: string): number => {
  let hash = 0
  for (let i = 0; i < text.length; i++) hash = mix(hash ^ text.charCodeAt(i))
  return hash >>> 0
}

const mix = (value: number): number => {
  const once = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}

/** The largest item that DynamoDB stores. */
const MOST_BYTES = 400 * 1024

/** Whether an item is larger than 400 KB, which DynamoDB refuses. */
export const isTooLarge = (item: object): boolean => sizeOf(item) > MOST_BYTES

/**
 * The size of a value in bytes, in UTF-8 ("DynamoDB item sizes and formats" in the developer
 * guide). The largest size is assumed of numbers, whose exact size the guide does not say.
 */
const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value === 'number' || typeof value === 'bigint') return 21
  if (typeof value !== 'object' || value === null) return 1
  let size = 3
  for (const [name, part] of Object.entries(value)) {
    const nameSize = Array.isArray(value) ? 0 : Buffer.byteLength(name)
    size += nameSize + sizeOf(part) + 1
  }
  return size
}

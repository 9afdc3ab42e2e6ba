const POLYNOMIAL = 0xedb88320

/**
 * The CRC-32 of `bytes` (the polynomial of IEEE 802.3, its bits reversed), as `crc32` of `node:zlib` has it. That takes a
 * millisecond to load, of the ten in which getPet loads; this takes less than one for a thousand keys.
 */
export const crc32 = (bytes: Uint8Array): number => {
  let rest = ~0
  for (const byte of bytes) {
    rest ^= byte
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? POLYNOMIAL : 0)
  }
  return ~rest >>> 0
}

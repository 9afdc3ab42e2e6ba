const POLYNOMIAL = 0xedb88320

/** The CRC-32 (IEEE 802.3). An import of `node:zlib`, which has one, slows down cold starts. */
export const crc32 = (bytes: Uint8Array): number => {
  let rest = ~0
  for (const byte of bytes) {
    rest ^= byte
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? POLYNOMIAL : 0)
  }
  return ~rest >>> 0
}

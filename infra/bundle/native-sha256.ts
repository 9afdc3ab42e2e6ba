import { type BinaryLike, createHash, createHmac } from 'node:crypto'

// For `@smithy/core/checksum`, which brings MD5, CRC-32, and SHA-256 in JavaScript for platforms without it. To sign
// requests the SDK needs SHA-256, which Node has. It builds only beside `no-event-streams.ts`: they use CRC-32.
// With that and endpoint discovery: listPets 226 to 194 KB, 30.8 to 20.6 ms to load.
export class Sha256 {
  readonly #hash
  constructor(secret?: BinaryLike) {
    this.#hash = secret ? createHmac('sha256', secret) : createHash('sha256')
  }
  update(data: BinaryLike): void {
    this.#hash.update(data)
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest())
  }
}

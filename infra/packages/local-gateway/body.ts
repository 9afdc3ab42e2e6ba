import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import type { GatewayErrors } from './types.ts'

const MAX_BYTES = 1024 * 1024

const decompressors = new Map([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
])

/** Reads a body, and decompresses it. Throws if it cannot, or if the client disconnects. */
export const readBody = async (
  message: IncomingMessage,
  errors: GatewayErrors,
): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let size = 0
  // To its end, because some clients read no response before.
  for await (const chunk of message) {
    size += chunk.length
    if (size <= MAX_BYTES) chunks.push(chunk)
  }
  if (size > MAX_BYTES) throw errors.payloadTooLarge
  const body = Buffer.concat(chunks)
  const coding = message.headers['content-encoding']?.toLowerCase() || 'identity'
  if (size === 0 || coding === 'identity') return body
  const decompress = decompressors.get(coding)
  if (!decompress) throw errors.unsupportedMediaType
  return decompress(body, { maxOutputLength: MAX_BYTES }).catch(({ code }) => {
    throw code === 'ERR_BUFFER_TOO_LARGE' ? errors.payloadTooLarge : errors.unsupportedMediaType
  })
}

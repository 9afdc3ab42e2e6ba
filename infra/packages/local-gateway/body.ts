import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'

const MAX_BYTES = 1024 * 1024

const decompressors = new Map([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
])

/**
 * Reads a body, and decompresses it. Returns the name of the error response if it cannot. Throws if
 * the client disconnects.
 */
export const readBody = async (message: IncomingMessage) => {
  const body = await readAll(message)
  if (!body) return 'payloadTooLarge'
  const coding = message.headers['content-encoding']?.toLowerCase() || 'identity'
  if (body.length === 0 || coding === 'identity') return body
  const decompress = decompressors.get(coding)
  if (!decompress) return 'unsupportedMediaType'
  return decompress(body, { maxOutputLength: MAX_BYTES }).catch(({ code }) =>
    code === 'ERR_BUFFER_TOO_LARGE' ? 'payloadTooLarge' : 'unsupportedMediaType',
  )
}

/**
 * Copies a body into one buffer: a chunk of one byte takes hundreds. Reads a body that is too large
 * to its end, because some clients read no response before.
 */
const readAll = async (message: IncomingMessage): Promise<Buffer | undefined> => {
  let buffer = Buffer.alloc(0)
  let size = 0
  for await (const chunk of message) {
    const end = size + chunk.length
    if (end > buffer.length && end <= MAX_BYTES)
      buffer = Buffer.concat([buffer], Math.min(2 * end, MAX_BYTES))
    chunk.copy(buffer, size)
    size = end
  }
  return size > MAX_BYTES ? undefined : buffer.subarray(0, size)
}

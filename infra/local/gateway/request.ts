import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import { gatewayResponses } from '../../gateway.ts'

const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i

/**
 * Reads the path of a request, as it was sent, and the query. Throws an ApiError 400 unless it has
 * one valid Host, which links in responses repeat.
 */
export const readTarget = ({ url = '', headersDistinct }: IncomingMessage) => {
  const hosts = headersDistinct.host ?? []
  if (hosts.length !== 1 || !HOST.test(hosts[0] ?? '')) throw gatewayResponses.badRequest
  // A target in absolute form has the host before the path (RFC 9112, section 3.2.2).
  const target = url.replace(/^https?:\/\/[^/?]*/i, '')
  const [path = '', ...query] = target.split('?')
  return { path: path.replace(/^\/+/, '/'), query: new URLSearchParams(query.join('?')) }
}

/**
 * Reads and decompresses a body as API Gateway does. Throws an ApiError: 413 if it exceeds
 * `maxBytes`, 415 if it is not gzip or deflate as its headers say, 400 if it is malformed or cut
 * off.
 */
export const readBody = async (message: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  const body = await readAll(message, maxBytes)
  const coding = message.headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (body.length === 0 || coding === 'identity') return body
  const decompress = decompressors.get(coding)
  if (!decompress) throw gatewayResponses.unsupportedMediaType
  return decompress(body, { maxOutputLength: maxBytes }).catch(({ code }) => {
    throw code === 'ERR_BUFFER_TOO_LARGE'
      ? gatewayResponses.payloadTooLarge
      : gatewayResponses.unsupportedMediaType
  })
}

const decompressors = new Map(
  Object.entries({ gzip: promisify(gunzip), deflate: promisify(inflate) }),
)

/** Reads a body. One that is too large is refused at once; what follows is read, but not kept. */
const readAll = async (message: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let size = 0
  message.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= maxBytes) chunks.push(chunk)
    else {
      chunks.length = 0
      reject(gatewayResponses.payloadTooLarge)
    }
  })
  message.on('end', () => resolve(Buffer.concat(chunks)))
  // Without an end before: the client has disconnected.
  message.on('close', () => reject(gatewayResponses.badRequest))
  return promise
}

import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import { gatewayResponses } from '../../platform/gateway.ts'

const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i

/**
 * Reads a request as API Gateway does: its path, as it was sent, the query, and the decompressed
 * body. Throws an ApiError: 413 if the body exceeds `maxBytes`, 415 if it is not gzip or deflate as
 * its headers say, 400 if the request is malformed or cut off.
 */
export const readRequest = async (message: IncomingMessage, maxBytes: number) => {
  // The body comes first: some clients read no response while they are still sending.
  const body = await readBody(message, maxBytes)
  return { ...readTarget(message), body }
}

const readTarget = ({ url = '', headersDistinct }: IncomingMessage) => {
  const hosts = headersDistinct.host ?? []
  // Links in responses repeat it.
  if (hosts.length !== 1 || !HOST.test(hosts[0] ?? '')) throw gatewayResponses.badRequest
  // A target in absolute form has the host before the path (RFC 9112, section 3.2.2).
  const target = url.replace(/^https?:\/\/[^/?]*/i, '')
  const [path = '', ...query] = target.split('?')
  return { path: path.replace(/^\/+/, '/'), query: new URLSearchParams(query.join('?')) }
}

const readBody = async (message: IncomingMessage, maxBytes: number): Promise<Buffer> => {
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

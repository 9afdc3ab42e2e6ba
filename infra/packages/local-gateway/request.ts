import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'

/** A request as it was sent, with its body decompressed. */
export type Request = { path: string; query: URLSearchParams; body: Buffer }

type Kind = 'badRequest' | 'payloadTooLarge' | 'unsupportedMediaType'

/** A request that cannot be read. `kind` is the name of its response. */
export class RequestError extends Error {
  readonly kind: Kind

  constructor(kind: Kind) {
    super(kind)
    this.kind = kind
  }
}

const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i

/**
 * Reads a request as API Gateway does: its path, as it was sent, the query, and the decompressed
 * body, of at most `maxBytes`. Throws a RequestError.
 */
export const readRequest = async (message: IncomingMessage, maxBytes: number): Promise<Request> => {
  // The body comes first: some clients read no response while they are still sending.
  const body = await readBody(message, maxBytes)
  return { ...readTarget(message), body }
}

/** The address that a request was sent to, such as `https://shop.example`. */
export const originOf = (message: IncomingMessage): string =>
  `${schemeOf(message)}://${hostOf(message)}`

/** The scheme of a request for its client, who may reach the server through a tunnel. */
export const schemeOf = ({ headers }: IncomingMessage): 'http' | 'https' =>
  headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'

/** The host that a request names; HTTP/1.0 need not name one. */
export const hostOf = ({ headers, socket }: IncomingMessage): string =>
  headers.host ?? `${urlHost(socket.localAddress ?? '')}:${socket.localPort}`

const urlHost = (address: string): string => (address.includes(':') ? `[${address}]` : address)

const readTarget = (message: IncomingMessage) => {
  const { url = '', httpVersion, headersDistinct } = message
  const hosts = headersDistinct.host ?? (httpVersion === '1.0' ? [hostOf(message)] : [])
  // Links in responses repeat it.
  if (hosts.length !== 1 || !HOST.test(hosts[0] ?? '')) throw new RequestError('badRequest')
  // A target in absolute form has the host before the path (RFC 9112, section 3.2.2).
  const target = url.replace(/^https?:\/\/[^/?]*/i, '')
  const [path = '', ...query] = target.split('?')
  return { path: path.replace(/^\/+/, '/'), query: new URLSearchParams(query.join('?')) }
}

const readBody = async (message: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  const body = await readAll(message, maxBytes)
  const coding = message.headers['content-encoding']?.toLowerCase() || 'identity'
  if (body.length === 0 || coding === 'identity') return body
  const decompress = decompressors.get(coding)
  if (!decompress) throw new RequestError('unsupportedMediaType')
  return decompress(body, { maxOutputLength: maxBytes }).catch(({ code }) => {
    const isTooLarge = code === 'ERR_BUFFER_TOO_LARGE'
    throw new RequestError(isTooLarge ? 'payloadTooLarge' : 'unsupportedMediaType')
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
      reject(new RequestError('payloadTooLarge'))
    }
  })
  message.on('end', () => resolve(Buffer.concat(chunks)))
  // Without an end before: the client has disconnected.
  message.on('close', () => reject(new RequestError('badRequest')))
  return promise
}

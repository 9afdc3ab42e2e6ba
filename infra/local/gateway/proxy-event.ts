import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import type { Event } from '../../../shared/pipeline/http.ts'
import { service } from '../../../shared/service.ts'
import { gatewayResponses } from '../../gateway.ts'

/** A request that was read: `path` as it was sent, `requestId` as the response carries it. */
type Request = {
  message: IncomingMessage
  path: string
  query: URLSearchParams
  body: Buffer
  requestId: string
  resource: string
  pathParameters: Record<string, string> | null
}

const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i

/**
 * Reads the path of a request, as it was sent, and the query. Throws an ApiError 400 if the Host header, which the
 * links in responses repeat, is not one valid host.
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
 * Reads the whole body of a request, and decompresses it as API Gateway does. Throws an ApiError: 413 if it exceeds
 * `maxBytes`, 415 if it is not in the coding that its headers name, or in another one than gzip and deflate, 400
 * if it is malformed or the client disconnects.
 */
export const readBody = async (message: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  const body = await readAll(message, maxBytes)
  const coding = message.headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (body.length === 0 || coding === 'identity') return body
  const decompress = decompressors.get(coding)
  if (!decompress) throw gatewayResponses.unsupportedMediaType
  return decompress(body, { maxOutputLength: maxBytes }).catch(({ code }) => {
    throw code === 'ERR_BUFFER_TOO_LARGE' ? gatewayResponses.payloadTooLarge : gatewayResponses.unsupportedMediaType
  })
}

const decompressors = new Map(Object.entries({ gzip: promisify(gunzip), deflate: promisify(inflate) }))

/** Reads a body. One that is too large is refused at once; what follows is read, but not kept. */
const readAll = async (message: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let size = 0
  message.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= maxBytes) chunks.push(chunk)
    else reject(gatewayResponses.payloadTooLarge)
  })
  message.on('end', () => resolve(Buffer.concat(chunks)))
  message.on('close', () => reject(gatewayResponses.badRequest)) // Without an end: the client has disconnected.
  return promise
}

/** The event that API Gateway sends to a function (REST API, Lambda proxy integration). */
export const proxyEvent = ({ message, path, query, body, requestId, resource, pathParameters }: Request): Event => {
  const { method: httpMethod = '', socket } = message
  const { host, 'user-agent': userAgent = null } = message.headers
  const headers = grouped(headersOf(message))
  const parameters = query.size > 0 ? grouped(query) : null
  return {
    resource,
    path: path.slice(service.basePath.length).replace(/^\/*/, '/'),
    httpMethod,
    headers: lastOfEach(headers),
    multiValueHeaders: headers,
    queryStringParameters: parameters && lastOfEach(parameters),
    multiValueQueryStringParameters: parameters,
    pathParameters,
    stageVariables: null,
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      authorizer: undefined,
      domainName: host,
      extendedRequestId: requestId,
      httpMethod,
      // The others are of callers that AWS knows.
      identity: { sourceIp: socket.remoteAddress ?? '', userAgent } as Event['requestContext']['identity'],
      path,
      protocol: `HTTP/${message.httpVersion}`,
      requestId: randomUUID(),
      requestTimeEpoch: Date.now(),
      resourceId: 'local',
      resourcePath: resource,
      stage: service.basePath.slice(1),
    },
    ...textOrBase64(body),
  }
}

// Headers of the connection, and those that API Gateway overwrites.
const NOT_PASSED_ON =
  /^(connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade|x-forwarded-(for|port|proto))$/i

const headersOf = ({ rawHeaders, socket }: IncomingMessage): [string, string][] => {
  const sent = rawHeaders.flatMap((name, i): [string, string][] => (i % 2 ? [] : [[name, rawHeaders[i + 1] ?? '']]))
  return [
    ...sent.filter(([name]) => !NOT_PASSED_ON.test(name)),
    ['X-Forwarded-For', socket.remoteAddress ?? ''],
    ['X-Forwarded-Port', String(socket.localPort)],
    ['X-Forwarded-Proto', 'http'],
  ]
}

// Bytes that are not UTF-8 must reach the function unchanged, so that it can refuse them.
const textOrBase64 = (body: Buffer): Pick<Event, 'body' | 'isBase64Encoded'> => {
  const text = body.toString()
  if (!Buffer.from(text).equals(body)) return { body: body.toString('base64'), isBase64Encoded: true }
  return { body: text || null, isBase64Encoded: false }
}

const grouped = (pairs: Iterable<[string, string]>): Record<string, string[]> => {
  const groups = [...Map.groupBy(pairs, ([name]) => name)]
  return Object.fromEntries(groups.map(([name, same]) => [name, same.map(([, value]) => value)]))
}

const lastOfEach = (lists: Record<string, string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.at(-1) ?? '']))

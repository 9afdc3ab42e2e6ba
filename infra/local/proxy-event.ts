import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import type { Event } from '../../shared/http.ts'
import { service } from '../../shared/service.ts'
import { gatewayResponses } from '../gateway.ts'
import type { Route } from './routes.ts'

/** A request that was read: `path` and `query` as they were sent, `requestId` as the responses carry it. */
type Request = { message: IncomingMessage; path: string; query: string; body: Buffer; requestId: string }

const MAX_BYTES = 10 * 1024 * 1024 // API Gateway's payload limit.

const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i

/**
 * Reads the path and the query of a request as they were sent.
 *
 * @throws ApiError 400 if the Host header, which the links in responses repeat, is not one valid host
 */
export const readTarget = ({ url = '', headersDistinct }: IncomingMessage): { path: string; query: string } => {
  const hosts = headersDistinct.host ?? []
  if (hosts.length !== 1 || !HOST.test(hosts[0] ?? '')) throw gatewayResponses.badRequest
  // A target in absolute form has the host before the path (RFC 9112, section 3.2.2).
  const [path = '', query = ''] = url.replace(/^https?:\/\/[^/?]*/i, '').split(/\?(.*)/s)
  return { path: path.replace(/^\/+/, '/'), query }
}

/**
 * Reads the whole body of a request, and decompresses it as API Gateway does.
 *
 * @throws ApiError 413 if it exceeds API Gateway's limit, 415 if it is not in the coding that its headers name, or in
 *   another one than gzip and deflate, 400 if it is malformed or the client disconnects
 */
export const readBody = async (message: IncomingMessage): Promise<Buffer> => {
  const body = await readAll(message)
  const coding = message.headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (body.length === 0 || coding === 'identity') return body
  const decompress = decompressors.get(coding)
  if (!decompress) throw gatewayResponses.unsupportedMediaType
  return decompress(body, { maxOutputLength: MAX_BYTES }).catch(({ code }) => {
    throw code === 'ERR_BUFFER_TOO_LARGE' ? gatewayResponses.payloadTooLarge : gatewayResponses.unsupportedMediaType
  })
}

const decompressors = new Map([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
])

/** Reads a body that is too large to its end too, but does not keep it: the client must get the error response. */
const readAll = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of message) {
      size += chunk.length
      if (size <= MAX_BYTES) chunks.push(chunk)
    }
  } catch {
    throw gatewayResponses.badRequest
  }
  if (size > MAX_BYTES) throw gatewayResponses.payloadTooLarge
  return Buffer.concat(chunks)
}

/** The event that API Gateway sends to a function (REST API, Lambda proxy integration). */
export const proxyEvent = (request: Request, route: Route): Event => {
  const { message, path, query, body } = request
  const headers = grouped(headersOf(message))
  const parameters = new URLSearchParams(query).size > 0 ? grouped(new URLSearchParams(query)) : null
  return {
    resource: route.resource,
    path: path.slice(service.basePath.length).replace(/^\/*/, '/'),
    httpMethod: message.method ?? '',
    headers: lastOfEach(headers),
    multiValueHeaders: headers,
    queryStringParameters: parameters && lastOfEach(parameters),
    multiValueQueryStringParameters: parameters,
    pathParameters: route.pathParameters,
    stageVariables: null,
    requestContext: requestContext(request, route),
    ...textOrBase64(body),
  }
}

const requestContext = ({ message, path, requestId }: Request, route: Route) => {
  const now = new Date()
  return {
    accountId: '000000000000',
    apiId: 'local',
    authorizer: undefined,
    deploymentId: 'local',
    domainName: message.headers.host,
    domainPrefix: 'local',
    extendedRequestId: requestId,
    httpMethod: message.method ?? '',
    identity: identityOf(message),
    path,
    protocol: `HTTP/${message.httpVersion}`,
    requestId: randomUUID(),
    requestTime: commonLogTime(now),
    requestTimeEpoch: now.getTime(),
    resourceId: 'local',
    resourcePath: route.resource,
    stage: service.basePath.slice(1),
  }
}

const identityOf = ({ socket, headers }: IncomingMessage) =>
  ({
    accessKey: null,
    accountId: null,
    caller: null,
    cognitoAuthenticationProvider: null,
    cognitoAuthenticationType: null,
    cognitoIdentityId: null,
    cognitoIdentityPoolId: null,
    principalOrgId: null,
    sourceIp: socket.remoteAddress ?? '',
    user: null,
    userAgent: headers['user-agent'] ?? null,
    userArn: null,
  }) as Event['requestContext']['identity'] // The type also requires keys of mutual TLS and usage plans.

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

// 20/Nov/2026:13:20:51 +0000
const commonLogTime = (time: Date): string =>
  time.toUTCString().replace(/^\w+, (\d+) (\w+) (\d+) ([\d:]+) GMT$/, '$1/$2/$3:$4 +0000')

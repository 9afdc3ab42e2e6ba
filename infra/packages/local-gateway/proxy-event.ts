import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { hostOf, type Request, schemeOf } from './request.ts'
import type { FoundRoute } from './routes.ts'
import type { ProxyEvent } from './types.ts'

/** The event that API Gateway sends to a function (REST API, Lambda proxy integration). */
export const proxyEvent = (
  message: IncomingMessage,
  requestId: string,
  { path, query, body }: Request,
  route: FoundRoute,
  basePath: string,
): ProxyEvent => {
  const headers = valuesByName(eventHeaders(message))
  const parameters = query.size > 0 ? valuesByName(query) : null
  return {
    ...route,
    path: path.slice(basePath.length).replace(/^\/*/, '/'),
    httpMethod: message.method ?? '',
    headers: lastValues(headers),
    multiValueHeaders: headers,
    queryStringParameters: parameters && lastValues(parameters),
    multiValueQueryStringParameters: parameters,
    stageVariables: null,
    requestContext: {
      ...requestContext(message, requestId, path),
      resourcePath: route.resource,
      stage: basePath.slice(1),
    },
    ...textOrBase64(body),
  }
}

const requestContext = (
  message: IncomingMessage,
  extendedRequestId: string,
  path: string,
): Omit<ProxyEvent['requestContext'], 'resourcePath' | 'stage'> => ({
  accountId: '000000000000',
  apiId: 'local',
  authorizer: undefined,
  domainName: hostOf(message),
  extendedRequestId,
  httpMethod: message.method ?? '',
  // The other members are for callers with AWS credentials.
  identity: {
    sourceIp: message.socket.remoteAddress ?? '',
    userAgent: message.headers['user-agent'] ?? null,
  } as ProxyEvent['requestContext']['identity'],
  path,
  protocol: `HTTP/${message.httpVersion}`,
  requestId: randomUUID(),
  requestTimeEpoch: Date.now(),
  resourceId: 'local',
})

// Headers of the connection, and those that API Gateway overwrites.
const NOT_PASSED_ON =
  /^(connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade|x-forwarded-(for|port|proto))$/i

const eventHeaders = (message: IncomingMessage): [string, string][] => {
  const { rawHeaders, socket } = message
  const sent: [string, string][] = []
  // Names and values, in turn.
  for (let i = 0; i < rawHeaders.length; i += 2)
    sent.push([rawHeaders[i] ?? '', rawHeaders[i + 1] ?? ''])
  return [
    ...sent.filter(([name]) => !NOT_PASSED_ON.test(name)),
    ['X-Forwarded-For', socket.remoteAddress ?? ''],
    ['X-Forwarded-Port', String(socket.localPort)],
    ['X-Forwarded-Proto', schemeOf(message)],
  ]
}

// Bytes that are not UTF-8 must reach the function unchanged, so that it can refuse them.
const textOrBase64 = (body: Buffer): Pick<ProxyEvent, 'body' | 'isBase64Encoded'> => {
  const text = body.toString()
  if (!Buffer.from(text).equals(body))
    return { body: body.toString('base64'), isBase64Encoded: true }
  return { body: text || null, isBase64Encoded: false }
}

type Lists = Record<string, string[]>

const valuesByName = (pairs: Iterable<[string, string]>): Lists => {
  const lists = new Map<string, string[]>()
  for (const [name, value] of pairs) lists.set(name, [...(lists.get(name) ?? []), value])
  return Object.fromEntries(lists)
}

const lastValues = (lists: Lists): Record<string, string> =>
  Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.at(-1) ?? '']))

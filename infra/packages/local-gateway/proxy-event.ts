import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ProxyEvent } from './types.ts'

/** What the gateway has found out. `path` starts with `basePath`. */
type Request = Record<'id' | 'host' | 'basePath' | 'path' | 'query', string> &
  Pick<ProxyEvent, 'resource' | 'pathParameters'> & { body: Buffer }

/** The event that API Gateway sends to a function (REST API, Lambda proxy integration). */
export const proxyEvent = (message: IncomingMessage, request: Request): ProxyEvent => {
  const { basePath, resource, pathParameters, body } = request
  const headers = eventHeaders(message)
  const query = new URLSearchParams(request.query)
  const parameters = Object.fromEntries([...query.keys()].map((key) => [key, query.getAll(key)]))
  const text = body.toString()
  // Bytes that are not UTF-8 must reach the function unchanged, so that it can refuse them.
  const isBase64Encoded = !Buffer.from(text).equals(body)
  return {
    resource,
    pathParameters,
    path: request.path.slice(basePath.length).replace(/^\/*/, '/'),
    httpMethod: message.method ?? '',
    headers: lastValues(headers),
    multiValueHeaders: headers,
    queryStringParameters: query.size > 0 ? lastValues(parameters) : null,
    multiValueQueryStringParameters: query.size > 0 ? parameters : null,
    stageVariables: null,
    requestContext: requestContext(message, request),
    body: isBase64Encoded ? body.toString('base64') : text || null,
    isBase64Encoded,
  }
}

const requestContext = (
  { method = '', httpVersion, headers, socket }: IncomingMessage,
  { id, host, basePath, path, resource }: Request,
): ProxyEvent['requestContext'] => ({
  accountId: '000000000000',
  apiId: 'local',
  authorizer: undefined,
  domainName: host,
  extendedRequestId: id,
  httpMethod: method,
  // The other members are for callers with AWS credentials.
  identity: {
    sourceIp: socket.remoteAddress ?? '',
    userAgent: headers['user-agent'] ?? null,
  } as ProxyEvent['requestContext']['identity'],
  path,
  protocol: `HTTP/${httpVersion}`,
  requestId: randomUUID(),
  requestTimeEpoch: Date.now(),
  resourceId: 'local',
  resourcePath: resource,
  stage: basePath.slice(1),
})

const OF_CONNECTION =
  /^(connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$/

type Lists = Record<string, string[]>

/** The headers, with those that API Gateway sets. Their names are in lower case, as in HTTP/2. */
const eventHeaders = ({ headersDistinct, socket }: IncomingMessage): Lists => {
  const headers = Object.entries({
    'x-forwarded-proto': ['http'], // Unless a tunnel in front of this server has set it.
    ...headersDistinct,
    'x-forwarded-for': [socket.remoteAddress ?? ''],
    'x-forwarded-port': [String(socket.localPort)],
  })
  return Object.fromEntries(headers.filter(([name]) => !OF_CONNECTION.test(name)))
}

const lastValues = (lists: Lists): Record<string, string> =>
  Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.at(-1) ?? '']))

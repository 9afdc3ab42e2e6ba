import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import type { GatewayErrors, GatewayOptions, ProxyEvent } from './types.ts'

/**
 * Returns a function that makes a request the event that API Gateway sends to a function (REST API,
 * Lambda proxy integration). It throws one of `errors`, or another if the client disconnects.
 */
export const eventReader = ({ basePath, paths, errors }: GatewayOptions) => {
  // API Gateway prefers literal parts, whose characters all sort before `{`.
  const resources = paths.toSorted().map((path) => ({ path, pattern: pathPattern(basePath, path) }))
  return async (message: IncomingMessage, id: string): Promise<ProxyEvent> => {
    const { method = '', url = '', headersDistinct } = message
    const body = await readBody(message, errors)
    if (!HOST.test(headersDistinct.host?.join() ?? '')) throw errors.badRequest
    const [path = '', query = ''] = url.replace(ORIGIN, '/').split(/\?(.*)/s)
    const found = resources.find(({ pattern }) => pattern.test(path))
    const resource = found?.path ?? ''
    // Bytes that are not UTF-8 must reach the function unchanged, so that it can refuse them.
    const isBase64Encoded = !isUtf8(body)
    return {
      resource,
      pathParameters: found?.pattern.exec(path)?.groups ?? null,
      path: path.slice(basePath.length).replace(/^\/*/, '/'),
      httpMethod: method,
      ...eventHeaders(message),
      ...eventParameters(query),
      stageVariables: null,
      requestContext: { ...eventContext(message, id, resource), path, stage: basePath.slice(1) },
      body: body.toString(isBase64Encoded ? 'base64' : 'utf8') || null,
      isBase64Encoded,
    }
  }
}

const MAX_BYTES = 1024 * 1024

const decompressors = new Map([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
])

/** Reads a body, and decompresses it. Throws if it cannot, or if the client disconnects. */
const readBody = async (message: IncomingMessage, errors: GatewayErrors): Promise<Buffer> => {
  const buffer = Buffer.allocUnsafe(MAX_BYTES)
  let size = 0
  // To its end, because some clients read no response before.
  for await (const chunk of message) {
    chunk.copy(buffer, size) // A list of chunks could need 500 times as much.
    size += chunk.length
  }
  if (size > MAX_BYTES) throw errors.payloadTooLarge
  const body = buffer.subarray(0, size)
  const coding = message.headers['content-encoding']?.toLowerCase() || 'identity'
  if (size === 0 || coding === 'identity') return body
  const decompress = decompressors.get(coding)
  if (!decompress) throw errors.unsupportedMediaType
  return decompress(body, { maxOutputLength: MAX_BYTES }).catch(({ code }) => {
    throw code === 'ERR_BUFFER_TOO_LARGE' ? errors.payloadTooLarge : errors.unsupportedMediaType
  })
}

const ORIGIN = /^(https?:\/\/[^/?]*)?\/*/i

// Links in responses repeat it.
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i

// As in API Gateway, a trailing slash and repeated slashes after the stage are ignored.
const pathPattern = (basePath: string, path: string): RegExp => {
  const parts = path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  return new RegExp(`^${basePath}/*${parts}/?$`)
}

const OF_CONNECTION =
  /^(connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$/

/** The headers, with those that API Gateway sets. Their names are in lower case, as in HTTP/2. */
const eventHeaders = ({ headersDistinct, socket }: IncomingMessage) => {
  const all = Object.entries({
    'x-forwarded-proto': ['http'], // Unless a tunnel in front of this server has set it.
    ...headersDistinct,
    'x-forwarded-for': [socket.remoteAddress ?? ''],
    'x-forwarded-port': [String(socket.localPort)],
  })
  const lists = Object.fromEntries(all.filter(([name]) => !OF_CONNECTION.test(name)))
  return { headers: lastValues(lists), multiValueHeaders: lists }
}

const eventParameters = (text: string) => {
  const query = new URLSearchParams(text)
  const lists = Object.fromEntries([...query.keys()].map((key) => [key, query.getAll(key)]))
  return {
    queryStringParameters: query.size > 0 ? lastValues(lists) : null,
    multiValueQueryStringParameters: query.size > 0 ? lists : null,
  }
}

const lastValues = (lists: Record<string, string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.at(-1) ?? '']))

const eventContext = (
  { method = '', httpVersion, headers, socket }: IncomingMessage,
  extendedRequestId: string,
  resourcePath: string,
) => ({
  accountId: '000000000000',
  apiId: 'local',
  authorizer: undefined,
  domainName: headers.host,
  extendedRequestId,
  httpMethod: method,
  // The other members are for callers with AWS credentials.
  identity: {
    sourceIp: socket.remoteAddress ?? '',
    userAgent: headers['user-agent'] ?? null,
  } as ProxyEvent['requestContext']['identity'],
  protocol: `HTTP/${httpVersion}`,
  requestId: randomUUID(),
  requestTimeEpoch: Date.now(),
  resourceId: 'local',
  resourcePath,
})

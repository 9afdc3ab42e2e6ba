import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Event } from '../../shared/request.ts'
import type { Route } from './routes.ts'

/** A request that has arrived: `path` and `query` as they were sent, `requestId` the one that answers carry. */
export type Request = { message: IncomingMessage; path: string; query: string; body: Buffer; requestId: string }

/** The event that API Gateway makes of a request for a function (REST API, Lambda proxy integration). */
export const proxyEvent = (request: Request, route: Route): Event => {
  const { message, path, query, body } = request
  const headers = grouped(headersOf(message))
  const parameters = new URLSearchParams(query).size > 0 ? grouped(new URLSearchParams(query)) : null
  return {
    resource: route.resource,
    path: path.replace(/^\/v1\/*/, '/'),
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
    stage: 'v1',
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
  }) as Event['requestContext']['identity'] // Its type asks for keys that only come with mutual TLS and usage plans.

// What is about the connection, or what API Gateway sets by itself whatever the client says.
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

/** Text as it is. What is not UTF-8 is passed on as the bytes that it is, for the function to refuse. */
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

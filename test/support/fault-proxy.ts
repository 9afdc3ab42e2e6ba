import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

/** A response that the proxy sends; its content type is DynamoDB's unless it names another. */
type DatabaseResponse = { status: number; type?: string; body: string }

/** `cut` breaks the connection, `silence` sends nothing, `drip` sends a byte at a time and never ends. */
type Instead = 'cut' | 'silence' | 'drip' | DatabaseResponse

/**
 * What happens to a request. With `carriedOut`, the database executes it, but the client gets this response. With `late`,
 * the request or the response is delayed. Everything else replaces the database's response.
 */
export type Fault = 'pass' | Instead | { carriedOut: Instead } | { late: 'request' | 'response'; milliseconds: number }

/** The database executes the request, then the connection breaks before the response. */
export const lostResponse = { carriedOut: 'cut' } as const satisfies Fault

/** A JSON response as DynamoDB sends it. */
export const databaseResponse = (status: number, body: object): DatabaseResponse => ({
  status,
  body: JSON.stringify(body),
})

const error = (status: number, name: string): DatabaseResponse =>
  databaseResponse(status, { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: 'Made by the test.' })

/** Error responses and broken responses of DynamoDB, or of a proxy in front of it. */
export const databaseResponses = {
  internalServerError: error(500, 'InternalServerError'),
  throughputExceeded: error(400, 'ProvisionedThroughputExceededException'),
  throttling: error(400, 'ThrottlingException'),
  accessDenied: error(400, 'AccessDeniedException'),
  transactionConflict: error(400, 'TransactionConflictException'),
  html: { status: 200, type: 'text/html', body: '<html><body>Sign in to the network</body></html>' },
  malformed: { status: 200, body: '{"Item":{"id":{"N":' },
  nothing: databaseResponse(200, {}),
} as const satisfies Record<string, DatabaseResponse>

/** A request of the SDK: the name of its operation, such as `PutItem`, and its JSON input. */
export type Call = { operation: string; body: string }

/** A proxy between the SDK and a database. */
export type FaultProxy = {
  endpoint: string
  /** Decides the fault of each request, which waits for it. */
  faultOf: (call: Call) => Fault | Promise<Fault>
  /** Requests by operation. */
  counts: Record<string, number>
  /** Breaks all connections and refuses new ones until `accept`. */
  refuse: () => Promise<void>
  accept: () => Promise<void>
  /** Waits for the requests that are still on their way to the database. */
  settled: () => Promise<unknown>
}

/** Starts a proxy in front of `database` on a free port. It passes everything on until `faultOf` is set. */
export const startFaultProxy = async (database: string): Promise<FaultProxy> => {
  const pending = new Set<Promise<void>>()
  const serve = async (message: IncomingMessage, response: ServerResponse) => {
    const operation = String(message.headers['x-amz-target']).split('.')[1] ?? ''
    const body = await text(message)
    proxy.counts[operation] = (proxy.counts[operation] ?? 0) + 1
    await reply(await proxy.faultOf({ operation, body }), () => forward(database, message, body), response)
  }
  const server = createServer((message, response) => {
    // It rejects when the client leaves in the middle of its request.
    const served = serve(message, response).catch(() => void response.destroy())
    pending.add(served)
    served.finally(() => pending.delete(served))
  })
  const accept = async (port: number) => void (await once(server.listen(port, '127.0.0.1'), 'listening'))
  const refuse = async () => {
    server.close().closeAllConnections()
    await once(server, 'close')
  }
  await accept(0)
  const { port } = server.address() as AddressInfo // Only a server on a pipe has another kind of address.
  const proxy: FaultProxy = {
    endpoint: `http://127.0.0.1:${port}`,
    faultOf: () => 'pass',
    counts: {},
    refuse,
    accept: () => accept(port),
    settled: () => Promise.all(pending),
  }
  return proxy
}

const forward = async (
  database: string,
  { method, url, headers }: IncomingMessage,
  body: string,
): Promise<DatabaseResponse> => {
  const [response] = await once(request(database + url, { method, headers }).end(body), 'response')
  return { status: response.statusCode, type: response.headers['content-type'], body: await text(response) }
}

const reply = async (
  fault: Fault,
  execute: () => Promise<DatabaseResponse>,
  response: ServerResponse,
): Promise<void> => {
  if (fault === 'pass') return reply(await execute(), execute, response)
  if (fault === 'cut') return void response.destroy()
  if (fault === 'silence') return
  if (fault === 'drip') return drip(response)
  if ('late' in fault) {
    if (fault.late === 'request') await pause(fault.milliseconds)
    const given = await execute()
    if (fault.late === 'response') await pause(fault.milliseconds)
    return reply(given, execute, response)
  }
  if ('carriedOut' in fault) {
    await execute()
    return reply(fault.carriedOut, execute, response)
  }
  response.writeHead(fault.status, { 'Content-Type': fault.type ?? 'application/x-amz-json-1.0' }).end(fault.body)
}

const drip = (response: ServerResponse): void => {
  const timer = setInterval(() => response.write(' '), 50)
  response.on('close', () => clearInterval(timer))
}

import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { type FakeRequest, type FakeResponse, type Fate, listen } from './fake-api.ts'

/**
 * What happens to a request. With `carriedOut`, the database executes it, but the client gets this
 * response. With `delayed`, it gets there so many milliseconds later. A function executes the request
 * when it wants to. Everything else replaces the database's response.
 */
export type Fault =
  | 'pass'
  | Fate
  | { carriedOut: Fate }
  | { delayed: number }
  | ((execute: () => Promise<FakeResponse>) => Promise<Fate>)

/** The database executes the request, then the connection breaks before the response. */
export const lostResponse = { carriedOut: 'cut' } as const satisfies Fault

/** A JSON response as DynamoDB sends it. */
export const databaseResponse = (status: number, body: object) => ({
  status,
  headers: { 'Content-Type': 'application/x-amz-json-1.0' },
  body: JSON.stringify(body),
})

const error = (status: number, name: string) =>
  databaseResponse(status, {
    __type: `com.amazonaws.dynamodb.v20120810#${name}`,
    message: 'Made by the test.',
  })

/** Error responses and broken responses of DynamoDB, or of a proxy in front of it. */
export const databaseResponses = {
  internalServerError: error(500, 'InternalServerError'),
  throughputExceeded: error(400, 'ProvisionedThroughputExceededException'),
  throttling: error(400, 'ThrottlingException'),
  accessDenied: error(400, 'AccessDeniedException'),
  transactionConflict: error(400, 'TransactionConflictException'),
  transactionInProgress: error(400, 'TransactionInProgressException'),
  malformed: { status: 200, body: '{"Item":{"id":{"N":' },
} as const satisfies Record<string, FakeResponse>

/** A transaction that was canceled for these reasons, one for each of its items. */
export const canceled = (...codes: string[]): FakeResponse =>
  databaseResponse(400, {
    __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
    message: 'Made by the test.',
    CancellationReasons: codes.map((Code) => ({ Code })),
  })

/** A request of the SDK: the name of its operation, such as `PutItem`, and its JSON input. */
export type DatabaseCall = { operation: string; body: string }

/** A proxy between the SDK and a database. */
export type FaultProxy = {
  endpoint: string
  /** Decides the fault of each request, which waits for it. */
  faultOf: (call: DatabaseCall) => Fault | Promise<Fault>
  /** Requests by operation. */
  counts: Record<string, number>
  /** Breaks all connections and refuses new ones until `accept`. */
  refuse: () => Promise<void>
  accept: () => Promise<void>
  /** Waits for the requests that are still on their way to the database. */
  settled: () => Promise<unknown>
}

/**
 * Starts a proxy in front of `database` on a free port. It passes everything on until `faultOf` is
 * set.
 */
export const startFaultProxy = async (database: string): Promise<FaultProxy> => {
  const { server, port, settled } = await listen(async (request) => {
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? ''
    proxy.counts[operation] = (proxy.counts[operation] ?? 0) + 1
    return fateOf(await proxy.faultOf({ operation, body: request.body }), () =>
      forward(database, request),
    )
  })
  const proxy: FaultProxy = {
    endpoint: `http://127.0.0.1:${port}`,
    faultOf: () => 'pass',
    counts: {},
    refuse: async () => {
      server.close().closeAllConnections()
      await once(server, 'close')
    },
    accept: async () => void (await once(server.listen(port, '127.0.0.1'), 'listening')),
    settled,
  }
  return proxy
}

const fateOf = async (fault: Fault, execute: () => Promise<FakeResponse>): Promise<Fate> => {
  if (fault === 'pass') return execute()
  if (typeof fault === 'function') return fault(execute)
  if (typeof fault === 'string' || 'status' in fault) return fault
  if ('carriedOut' in fault) {
    await execute()
    return fault.carriedOut
  }
  await pause(fault.delayed)
  return execute()
}

/** Sends a request on to a server, and returns its response. */
export const forward = async (
  origin: string,
  { path, body, ...options }: FakeRequest,
): Promise<FakeResponse> => {
  const sent = request(origin + path, options).end(body)
  const [received]: IncomingMessage[] = await once(sent, 'response')
  if (!received) throw new Error('There is no response.')
  const headers = FORWARDED.flatMap((name) => {
    const value = received.headers[name.toLowerCase()]
    return value === undefined ? [] : [[name, value]]
  })
  return {
    status: received.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    body: await text(received),
  }
}

const FORWARDED = ['Content-Type', 'Link', 'Retry-After']

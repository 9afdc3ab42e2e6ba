import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** An answer that the proxy makes up, of DynamoDB's own content type where it names no other. */
export type Answer = { status: number; type?: string; body: string }

/**
 * What becomes of a request. `cut`: the connection breaks before the database has it; `loseAnswer`: after it was carried
 * out; `silence`: it is never answered; `drip`: its answer comes a byte at a time and never ends.
 */
export type Fault = 'pass' | 'cut' | 'loseAnswer' | 'silence' | 'drip' | Answer

/** The address to use in the database's place, what becomes of each request, and how many of each kind came. */
export type FaultProxy = {
  endpoint: string
  /** Asked for each request with the name of its operation, such as `PutItem`, and the JSON that it takes. */
  faultOf: (request: { operation: string; body: string }) => Fault
  counts: Record<string, number>
  /** Breaks all connections, and refuses new ones until `accept`. */
  refuse: () => Promise<void>
  accept: () => Promise<void>
}

/** An answer as DynamoDB gives it. */
export const answer = (status: number, body: object): Answer => ({ status, body: JSON.stringify(body) })

const error = (status: number, name: string): Answer =>
  answer(status, { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: 'Made by the test.' })

/** What DynamoDB, or something on the way to it, answers at its worst. */
export const answers = {
  internalServerError: error(500, 'InternalServerError'),
  throughputExceeded: error(400, 'ProvisionedThroughputExceededException'),
  throttling: error(400, 'ThrottlingException'),
  accessDenied: error(400, 'AccessDeniedException'),
  html: { status: 200, type: 'text/html', body: '<html><body>Sign in to the network</body></html>' },
  malformed: { status: 200, body: '{"Item":{"id":{"N":' },
} as const satisfies Record<string, Answer>

/** Starts a proxy that stands between the SDK and the database at `database`, and makes faults on the wire. */
export const startFaultProxy = async (database: string): Promise<FaultProxy> => {
  const serve = async (message: IncomingMessage, response: ServerResponse) => {
    const operation = String(message.headers['x-amz-target']).split('.')[1] ?? ''
    const body = await text(message)
    proxy.counts[operation] = (proxy.counts[operation] ?? 0) + 1
    await reply(proxy.faultOf({ operation, body }), () => carryOut(database, message, body), response)
  }
  // It fails where the client goes away in the middle of its request.
  const server = createServer((message, response) => void serve(message, response).catch(() => response.destroy()))
  const accept = async (port: number) => void (await once(server.listen(port, '127.0.0.1'), 'listening'))
  const refuse = async () => {
    server.close().closeAllConnections()
    await once(server, 'close')
  }
  await accept(0)
  const { port } = server.address() as AddressInfo // Only a server on a pipe has another kind of address.
  const address = { endpoint: `http://127.0.0.1:${port}`, refuse, accept: () => accept(port) }
  const proxy: FaultProxy = { ...address, faultOf: () => 'pass', counts: {} }
  return proxy
}

const reply = async (fault: Fault, carriedOut: () => Promise<Answer>, response: ServerResponse): Promise<void> => {
  if (fault === 'silence') return
  if (fault === 'drip') {
    const timer = setInterval(() => response.write(' '), 50)
    return void response.on('close', () => clearInterval(timer))
  }
  const given = fault === 'pass' || fault === 'loseAnswer' ? await carriedOut() : fault
  if (given === 'cut' || fault === 'loseAnswer') return void response.destroy()
  response.writeHead(given.status, { 'Content-Type': given.type ?? 'application/x-amz-json-1.0' }).end(given.body)
}

const carryOut = async (database: string, { method, url, headers }: IncomingMessage, body: string): Promise<Answer> => {
  const [response] = await once(request(database + url, { method, headers }).end(body), 'response')
  return { status: response.statusCode, type: response.headers['content-type'], body: await text(response) }
}

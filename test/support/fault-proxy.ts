import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Answer, Fault } from './faults.ts'
import { reply } from './faulty-reply.ts'

/** A request of the SDK's: the name of its operation, such as `PutItem`, and the JSON that it takes. */
export type Call = { operation: string; body: string }

/** The address to use in the database's place, what becomes of each request, and how many of each kind came. */
export type FaultProxy = {
  endpoint: string
  /** Asked for each request, which waits until it is known. */
  faultOf: (call: Call) => Fault | Promise<Fault>
  counts: Record<string, number>
  /** Breaks all connections, and refuses new ones until `accept`. */
  refuse: () => Promise<void>
  accept: () => Promise<void>
  /** Waits for the requests that are still to reach the database. */
  settled: () => Promise<unknown>
}

/** Starts a proxy that stands between the SDK and the database at `database`, and makes faults on the wire. */
export const startFaultProxy = async (database: string): Promise<FaultProxy> => {
  const inHand = new Set<Promise<void>>()
  const serve = async (message: IncomingMessage, response: ServerResponse) => {
    const operation = String(message.headers['x-amz-target']).split('.')[1] ?? ''
    const body = await text(message)
    proxy.counts[operation] = (proxy.counts[operation] ?? 0) + 1
    await reply(await proxy.faultOf({ operation, body }), () => carryOut(database, message, body), response)
  }
  const server = createServer((message, response) => {
    // It fails where the client goes away in the middle of its request.
    const served = serve(message, response).catch(() => void response.destroy())
    inHand.add(served)
    served.finally(() => inHand.delete(served))
  })
  const accept = async (port: number) => void (await once(server.listen(port, '127.0.0.1'), 'listening'))
  const refuse = async () => {
    server.close().closeAllConnections()
    await once(server, 'close')
  }
  await accept(0)
  const { port } = server.address() as AddressInfo // Only a server on a pipe has another kind of address.
  const address = { endpoint: `http://127.0.0.1:${port}`, refuse, accept: () => accept(port) }
  const settled = () => Promise.all(inHand)
  const proxy: FaultProxy = { ...address, settled, faultOf: () => 'pass', counts: {} }
  return proxy
}

const carryOut = async (database: string, { method, url, headers }: IncomingMessage, body: string): Promise<Answer> => {
  const [response] = await once(request(database + url, { method, headers }).end(body), 'response')
  return { status: response.statusCode, type: response.headers['content-type'], body: await text(response) }
}

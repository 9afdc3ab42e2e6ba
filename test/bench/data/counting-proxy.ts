import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Item } from './item-size.ts'

/** A call of DynamoDB as it went over the wire: its operation, such as `PutItem`, what it takes, and what came back. */
export type Call = {
  operation: string
  status: number
  sent: { TableName: string; Item?: Item; ConsistentRead?: boolean }
  received: { Item?: Item; Items?: Item[] }
}

/** Where to find the database instead, the calls that came since `take` was last asked, and the end of it. */
export type CountingProxy = { endpoint: string; take: () => Call[]; stop: () => void }

/** Starts a proxy that stands between a function and the database at `database`, and keeps what passes. */
export const startCountingProxy = async (database: string): Promise<CountingProxy> => {
  const calls: Call[] = []
  const serve = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sent = await text(message)
    const { status, headers, received } = await passOn(database, message, sent)
    const [, operation = ''] = String(message.headers['x-amz-target']).split('.')
    calls.push({ operation, status, sent: JSON.parse(sent), received: JSON.parse(received) })
    response.writeHead(status, headers).end(received)
  }
  const server = createServer((message, response) => {
    // It fails where one of the two goes away in the middle of a call.
    serve(message, response).catch(() => void response.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // Only a server on a pipe has another kind of address.
  const stop = () => server.close().closeAllConnections()
  return { endpoint: `http://127.0.0.1:${port}`, take: () => calls.splice(0), stop }
}

const passOn = async (database: string, { method, url, headers }: IncomingMessage, body: string) => {
  const [answer] = await once(request(database + url, { method, headers }).end(body), 'response')
  return { status: answer.statusCode ?? 0, headers: answer.headers, received: await text(answer) }
}

import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { ClientOptions } from '../../../shared/client/client.ts'

/** An answer that the front makes up. */
export type MadeUp = { status: number; headers?: Record<string, string>; body?: string }

/**
 * What becomes of a request. `cut`: the connection breaks before anyone has it; `loseAnswer`: after it was carried out;
 * `cutAnswer`: in the middle of its answer; `silence`: it is never answered.
 */
export type Fate = 'pass' | 'cut' | 'loseAnswer' | 'cutAnswer' | 'silence' | MadeUp

/** A request that came to the front. */
export type Came = { method: string; path: string; headers: IncomingMessage['headers']; body: string; at: number }

/** A front: where it is, and what came to it. */
export type Front = ClientOptions & { requests: Came[] }

/** The Error body of a status. */
export const errorBody = (status: number): string =>
  JSON.stringify({ code: 'made_up', message: 'Made by the test.', status })

/**
 * Serves on a free port until the test ends: one fate for each request; the last one for all that come later.
 *
 * @param behind the API that it stands in front of
 */
export const serve = async (fates: Fate[], behind?: ClientOptions): Promise<Front> => {
  const requests: Came[] = []
  const answer = async (message: IncomingMessage, response: ServerResponse) => {
    const fate = fates[Math.min(requests.length, fates.length - 1)] ?? 'pass'
    const { method = '', url: path = '', headers } = message
    const body = await text(message)
    requests.push({ method, path, headers, body, at: performance.now() })
    await meet(fate, response, () => carryOut(behind, { method, path, headers }, body))
  }
  // It fails where the client goes away in the middle.
  const server = createServer((message, response) => void answer(message, response).catch(() => response.destroy()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo // Only a server on a pipe has another kind of address.
  return { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: behind?.apiKey ?? 'pet_local_aKey', requests }
}

const meet = async (fate: Fate, response: ServerResponse, carriedOut: () => Promise<MadeUp>): Promise<void> => {
  if (fate === 'silence') return
  if (fate === 'cut') return void response.destroy()
  const { status, headers, body = '' } = typeof fate === 'string' ? await carriedOut() : fate
  if (fate === 'loseAnswer') return void response.destroy()
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  if (fate === 'cutAnswer') response.write(body.slice(0, 1), () => response.destroy())
  else response.end(body)
}

const carryOut = async (
  behind: ClientOptions | undefined,
  { path, ...parts }: Pick<Came, 'method' | 'path' | 'headers'>,
  body: string,
): Promise<MadeUp> => {
  if (!behind) throw new Error('Nothing is behind this front.')
  const [answer] = await once(request(new URL(path, behind.baseUrl), parts).end(body), 'response')
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
}

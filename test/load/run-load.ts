import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import autocannon, { type Request } from 'autocannon'
import type { Pet } from '../../shared/pets/pet.ts'
import { newPet } from '../support/pets.ts'
import { showProgress } from '../support/process.ts'
import { headersOf, type LocalServer, listAll, startServer } from '../support/server.ts'

/** What was sent and received. */
type Ledger = {
  /** The names that were sent, each of them in one pet. */
  sent: Set<string>
  /** The pets of all 201s. */
  created: Pet[]
  /** The number of responses by operation and status. */
  responses: Map<string, number>
}

/**
 * The results of a run: `failed` requests got no response within ten seconds; `found` is what the
 * server has after a restart, `output` what it printed.
 */
export type Run = Ledger & {
  failed: number
  figures: Record<string, number>
  found: Pet[]
  output: string
}

/** The largest JavaScript heap of the server. It ends when it needs more. */
export const HEAP_MB = 100

const CONNECTIONS = 64

/** Puts a server with its data in `folder` under load, restarts it and lists what it has kept. */
export const runLoad = async (folder: string, seconds: number): Promise<Run> => {
  const data = ['--empty', '--data', join(folder, 'catalog')]
  const server = await startServer(data, { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` })
  const ledger: Ledger = { sent: new Set(), created: [], responses: new Map() }
  showProgress(`Load for ${seconds} s`)
  const load = await sendLoad(server, ledger, seconds)
  showProgress('Restart, and list all')
  await stop(server) // Completes the requests whose connections autocannon closed.
  const restarted = await startServer(data)
  const found = await listAll(restarted)
  await stop(restarted)
  showProgress('')
  return { ...ledger, ...load, found, output: server.output() }
}

/**
 * Sends requests for some seconds, and records the responses. At the end, autocannon closes each
 * connection with a request in flight, which may still take effect.
 */
const sendLoad = async (server: LocalServer, ledger: Ledger, seconds: number) => {
  const requests = requestsOf(ledger)
  const { pathname } = new URL(server.baseUrl)
  let sent = 0
  let responses = 0
  // Autocannon keeps the context of a request for its response.
  const setupRequest = (defaults: Request, context: { operation?: string }): Request => {
    const { operation, path, headers, ...request } = requests.next().value
    context.operation = operation
    sent++
    return {
      ...defaults,
      ...request,
      path: pathname + path,
      headers: { ...headersOf(server), ...headers },
    }
  }
  const onResponse = (
    status: number,
    body: string,
    { operation }: { operation?: string },
  ): void => {
    responses++
    const kind = `${operation} ${status}`
    ledger.responses.set(kind, (ledger.responses.get(kind) ?? 0) + 1)
    if (kind === 'createPet 201') ledger.created.push(JSON.parse(body))
  }
  const load = {
    connections: CONNECTIONS,
    duration: seconds,
    requests: [{ setupRequest, onResponse }],
  }
  const { p50, p99, max } = (await autocannon({ url: server.baseUrl, ...load })).latency
  const times = { 'p50, ms': p50, 'p99, ms': p99, 'max, ms': max }
  return {
    figures: { 'responses a second': Math.round(responses / seconds), ...times },
    // Not autocannon's `errors`, which omits connections that the server closes without a response.
    failed: sent - responses - CONNECTIONS,
  }
}

const stop = async (server: LocalServer): Promise<void> => {
  const code = await server.stop()
  if (code !== 0)
    throw new Error(`The server exited with ${code}. Its output:\n${server.output().slice(-4000)}`)
}

/** A request of an operation; `path` is below the base address. */
type LoadRequest = { operation: string; path: string } & Pick<
  Request,
  'method' | 'headers' | 'body'
>

// Their lengths have no common divisor, so that each filter meets each limit.
const FILTERS = ['status=available', '']
const LIMITS = [1, 20, undefined, 50, 100]

/**
 * The endless requests of a run: of twenty, 16 are lists, 3 are creates, and 1 changes a pet to what
 * it is.
 */
function* requestsOf(ledger: Ledger): Generator<LoadRequest, never> {
  let lists = 0
  for (let turn = 0; ; turn++) {
    const pet = ledger.created[turn % ledger.created.length] // None at the very start.
    if ([0, 7, 13].includes(turn % 20)) yield create(ledger)
    else if (turn % 20 === 10 && pet) yield change(pet)
    else yield list(lists++)
  }
}

const create = ({ sent }: Ledger): LoadRequest => {
  const nth = sent.size
  const body = JSON.stringify(newPet(`Rex ${nth}`))
  sent.add(`Rex ${nth}`)
  // A third of them use an idempotency key, which takes more writes.
  const headers = nth % 3 === 0 ? { 'Idempotency-Key': randomUUID() } : {}
  return { operation: 'createPet', method: 'POST', path: '/pets', headers, body }
}

const change = ({ id, name }: Pet): LoadRequest => ({
  operation: 'updatePet',
  method: 'PATCH',
  path: `/pets/${id}`,
  body: JSON.stringify({ name }),
})

const list = (nth: number): LoadRequest => {
  const [filter, limit] = [FILTERS[nth % FILTERS.length], LIMITS[nth % LIMITS.length]]
  const query = [filter, limit && `limit=${limit}`].filter(Boolean).join('&')
  return { operation: 'listPets', method: 'GET', path: `/pets?${query}` }
}

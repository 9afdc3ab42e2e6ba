import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import autocannon, { type Request } from 'autocannon'
import { CommandError, command, run, wholeNumber } from '../../infra/command-line.ts'
import type { Pet } from '../../shared/pets/pet.ts'
import { newPet } from '../support/pets.ts'
import { processFolder, showProgress } from '../support/process.ts'
import { headersOf, type LocalServer, listAll, startServer } from '../support/server.ts'

/** The largest JavaScript heap of the server. It ends when it needs more. */
const HEAP_MB = 100

const CONNECTIONS = 64

const DETAILS = `
${CONNECTIONS} connections send 80 % lists, 15 % creates and 5 % changes to a server with a data
folder of its own. The exit code is 1 if a request has no 2xx, if a restart loses, doubles or
invents a pet, or if the JavaScript heap exceeds ${HEAP_MB} MB.`

const main = command(
  'npm run load --',
  'Puts the local server under load, and checks afterwards that it kept everything.',
)
  .addHelpText('after', DETAILS)
  .option('--seconds <number>', 'duration of the load', wholeNumber(2, 3600), 60)
  .action(async ({ seconds }) => {
    const data = ['--empty', '--data', join(processFolder('load'), 'catalog')]
    const server = await startServer(data, { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` })
    showProgress(`Load for ${seconds} s`)
    const load = await sendLoad(server, seconds)
    showProgress('Restart, and list all')
    await stop(server) // Completes the requests whose connections autocannon closed.
    const restarted = await startServer(data)
    const found = await listAll(restarted)
    await stop(restarted)
    showProgress('')

    console.table([figuresOf(load, seconds)])
    console.table(Object.fromEntries([...load.responses].sort()))
    console.log(
      `${load.created.length} pets got a 201. After a restart, the server has ${found.length}.`,
    )
    const shortcomings = [...badResponses(load), ...badPets(load, found)]
    if (shortcomings.length > 0)
      throw new CommandError([...shortcomings, ...unexpectedOutput(server)].join('\n'))
  })

type Load = Awaited<ReturnType<typeof sendLoad>>

/**
 * Sends requests for some seconds, and records the responses by operation and status. At the end,
 * autocannon closes each connection with a request in flight, which may still take effect.
 */
const sendLoad = async (server: LocalServer, seconds: number) => {
  const names = new Set<string>()
  const created: Pet[] = []
  const responses = new Map<string, number>()
  let sent = 0
  let received = 0
  const { pathname } = new URL(server.baseUrl)
  // Autocannon keeps the context of a request for its response.
  const setupRequest = (defaults: Request, context: { operation?: string }): Request => {
    const { operation, path, headers, ...request } = requestOf(sent++, names, created)
    context.operation = operation
    const all = { ...headersOf(server), ...headers }
    return { ...defaults, ...request, path: pathname + path, headers: all }
  }
  const onResponse = (status: number, body: string, { operation }: { operation?: string }) => {
    received++
    const kind = `${operation} ${status}`
    responses.set(kind, (responses.get(kind) ?? 0) + 1)
    if (kind === 'createPet 201') created.push(JSON.parse(body))
  }
  const { latency } = await autocannon({
    url: server.baseUrl,
    connections: CONNECTIONS,
    duration: seconds,
    requests: [{ setupRequest, onResponse }],
  })
  return { names, created, responses, sent, received, latency }
}

/** A request of an operation; `path` is below the base address. */
type LoadRequest = { operation: string; path: string } & Pick<
  Request,
  'method' | 'headers' | 'body'
>

// Their lengths have no common divisor, so that each filter meets each limit.
const FILTERS = ['status=available', '']
const LIMITS = ['limit=1', 'limit=20', '', 'limit=50', 'limit=100']

/** Of twenty requests, 16 are lists, 3 are creates, and 1 changes a pet to what it is. */
const requestOf = (turn: number, names: Set<string>, created: Pet[]): LoadRequest => {
  const pet = created[turn % created.length] // None at the very start.
  if ([0, 7, 13].includes(turn % 20)) return create(names)
  if (turn % 20 === 10 && pet) return change(pet)
  const query = `${FILTERS[turn % FILTERS.length]}&${LIMITS[turn % LIMITS.length]}`
  return { operation: 'listPets', method: 'GET', path: `/pets?${query}` }
}

const create = (names: Set<string>): LoadRequest => {
  const nth = names.size
  const name = `Rex ${nth}`
  names.add(name)
  // A third of them use an idempotency key, which takes more writes.
  const headers = nth % 3 === 0 ? { 'Idempotency-Key': randomUUID() } : {}
  const body = JSON.stringify(newPet(name))
  return { operation: 'createPet', method: 'POST', path: '/pets', headers, body }
}

const change = ({ id, name }: Pet): LoadRequest => ({
  operation: 'updatePet',
  method: 'PATCH',
  path: `/pets/${id}`,
  body: JSON.stringify({ name }),
})

const stop = async (server: LocalServer): Promise<void> => {
  const code = await server.stop()
  if (code !== 0)
    throw new Error(`The server exited with ${code}. Its output:\n${server.output().slice(-4000)}`)
}

const figuresOf = ({ received, latency: { p50, p99, max } }: Load, seconds: number) => ({
  'responses a second': Math.round(received / seconds),
  'p50, ms': p50,
  'p99, ms': p99,
  'max, ms': max,
})

const unexpectedOutput = (server: LocalServer): string[] => {
  const lines = server.output().split('\n')
  const unexpected = lines.filter((line) => line !== '' && !/ 2\d\d +\d+ ms /.test(line))
  return ['Output of the server:', ...unexpected.slice(-20)]
}

const badResponses = ({ responses, sent, received }: Load): string[] => {
  const expected = ['listPets 200', 'createPet 201', 'updatePet 200']
  const missing = expected.filter((kind) => !responses.has(kind))
  const errors = [...responses].filter(([kind]) => !expected.includes(kind))
  // Not autocannon's `errors`, which omits connections that the server closes without a response.
  const failed = sent - received - CONNECTIONS
  return [
    ...missing.map((kind) => `No ${kind}.`),
    ...errors.map(([kind, times]) => `${kind}: ${times} times.`),
    ...(failed > 0 ? [`No response: ${failed} times.`] : []),
  ]
}

const badPets = ({ names, created }: Load, found: Pet[]): string[] => {
  // Each was sent with a name of its own.
  const byName = new Map(found.map((pet) => [pet.name, pet]))
  const bad = {
    'Added with a 201, but missing after the restart': created.filter(
      (pet) => !isDeepStrictEqual(byName.get(pet.name), pet),
    ),
    'Found more than once': found.filter((pet) => byName.get(pet.name) !== pet),
    'Found, but never sent': found.filter(({ name }) => !names.has(name)),
  }
  return Object.entries(bad)
    .filter(([, pets]) => pets.length > 0)
    .map(([what, pets]) => `${what}: ${pets.length}, such as ${JSON.stringify(pets[0])}.`)
}

await run(main)

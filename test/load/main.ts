import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { CommandError, command, runCommand, wholeNumber } from '../../infra/command-line.ts'
import type { Pet } from '../../shared/pets/pet.ts'
import { newPet } from '../support/pets.ts'
import { processFolder, showProgress } from '../support/process.ts'
import { headersOf, type LocalServer, listAll, startServer } from '../support/server.ts'

/** The largest JavaScript heap of the server. It ends when it needs more. */
const HEAP_MB = 100

const CLIENTS = 64

const DETAILS = `
${CLIENTS} clients send 80 % lists, 15 % creates and 5 % changes to a server with a data
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
    await stop(server)
    const restarted = await startServer(data)
    const found = await listAll(restarted)
    await stop(restarted)
    showProgress('')

    console.table([figuresOf(load, seconds)])
    console.table(Object.fromEntries([...load.outcomes].sort()))
    console.log(
      `${load.created.length} pets got a 201. After a restart, the server has ${found.length}.`,
    )
    const shortcomings = [...badOutcomes(load), ...badPets(load, found)]
    if (shortcomings.length > 0)
      throw new CommandError([...shortcomings, ...unexpectedOutput(server)].join('\n'))
  })

type Load = Awaited<ReturnType<typeof sendLoad>>

/** Sends requests for some seconds, and records all responses and failures by operation. */
const sendLoad = async (server: LocalServer, seconds: number) => {
  const names = new Set<string>()
  const created: Pet[] = []
  const outcomes = new Map<string, number>()
  const milliseconds: number[] = []
  let turn = 0
  const sendNext = async (): Promise<void> => {
    const { operation, ...request } = requestOf(turn++, names, created)
    const sentAt = performance.now()
    const { outcome, body } = await sendOne(server, request)
    milliseconds.push(performance.now() - sentAt)
    const kind = `${operation} ${outcome}`
    outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1)
    if (kind === 'createPet 201') created.push(JSON.parse(body))
  }
  const end = performance.now() + seconds * 1000
  const client = async (): Promise<void> => {
    while (performance.now() < end) await sendNext()
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return { names, created, outcomes, milliseconds: milliseconds.sort((a, b) => a - b) }
}

/** Sends a request, and returns the status of the response, or why there is none, and its body. */
const sendOne = async (
  server: LocalServer,
  { path, headers, ...request }: Omit<LoadRequest, 'operation'>,
): Promise<{ outcome: string; body: string }> => {
  try {
    const all = { ...headersOf(server), ...headers }
    const response = await fetch(server.baseUrl + path, { ...request, headers: all })
    return { outcome: `${response.status}`, body: await response.text() }
  } catch (error) {
    // `fetch` hides the reason in the cause, in which a body that ends too early is no cause.
    const { message, cause } = error as Error
    return { outcome: `without a response (${cause ?? message})`, body: '' }
  }
}

/** A request of an operation; `path` is below the base address. */
type LoadRequest = {
  operation: string
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
}

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
  const headers: Record<string, string> = nth % 3 === 0 ? { 'Idempotency-Key': randomUUID() } : {}
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

const figuresOf = ({ milliseconds }: Load, seconds: number) => {
  const percentile = (percent: number) =>
    Math.round(milliseconds[Math.floor((milliseconds.length - 1) * (percent / 100))] ?? NaN)
  return {
    'requests a second': Math.round(milliseconds.length / seconds),
    'p50, ms': percentile(50),
    'p99, ms': percentile(99),
    'max, ms': percentile(100),
  }
}

const unexpectedOutput = (server: LocalServer): string[] => {
  const lines = server.output().split('\n')
  const unexpected = lines.filter((line) => line !== '' && !/ 2\d\d +\d+ ms /.test(line))
  return ['Output of the server:', ...unexpected.slice(-20)]
}

const badOutcomes = ({ outcomes }: Load): string[] => {
  const expected = ['listPets 200', 'createPet 201', 'updatePet 200']
  const missing = expected.filter((kind) => !outcomes.has(kind))
  const errors = [...outcomes].filter(([kind]) => !expected.includes(kind))
  return [
    ...missing.map((kind) => `No ${kind}.`),
    ...errors.map(([kind, times]) => `${kind}: ${times} times.`),
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

await runCommand(main)

import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { proxy, storedItems } from '../support/database.ts'
import { type Fate, serveFake } from '../support/fake-api.ts'
import { databaseResponses, forward } from '../support/fault-proxy.ts'
import { send } from '../support/http.ts'
import { newPet } from '../support/pets.ts'
import { installPackages } from '../support/process.ts'
import { headersOf, type LocalServer, startTestServer, temporaryFolder } from '../support/server.ts'

const LARGEST = '9223372036854775807'
const PETS = 33 // A page has 20.

// As strict as a project of `tsc --init`.
const COMPILE = `node node_modules/typescript/bin/tsc program.ts --noEmit --strict \
  --module nodenext --target esnext --verbatimModuleSyntax \
  --exactOptionalPropertyTypes --noUncheckedIndexedAccess`

await installPackages(import.meta.dirname)

/** The fenced blocks of the guide in the document of a server. */
const guideBlocks = async ({ baseUrl }: LocalServer): Promise<string[]> => {
  const { body } = await send(baseUrl, { path: '/openapi.json' })
  const { tags }: { tags: { name: string; description: string }[] } = Object(body)
  const guide = tags.find(({ name }) => name === 'Guide')?.description ?? ''
  return Array.from(guide.matchAll(/^```\w+\n(.*?)^```$/gms), ([, block = '']) => block)
}

/** Adds pets, deletes every other one, and renames the rest, all at the same time. */
const WRITES = `
const write = async (_: unknown, number: number) => {
  const body = { name: 'rex-' + number, categoryId: 7, status: 'available' } as const
  const { data: pet } = await client.POST('/pets', { body })
  const { data: other } = await client.POST('/pets', { body })
  if (!pet || !other) throw new Error('There is no pet.')
  const { response } = await client.DELETE('/pets/{petId}', {
    params: { path: { petId: other.id } },
  })
  const { data: renamed } = await client.PATCH('/pets/{petId}', {
    params: { path: { petId: pet.id } },
    body: { name: 'max-' + number },
  })
  return [response.status, renamed]
}
const made = await Promise.all(Array.from({ length: ${PETS} }, write))
console.log(JSON.stringify({ categoryId: String(pets[0].categoryId), made }))
`

/** Aborts a request, which meets a fault, at its first attempt. */
const ABORT = `
const controller = new AbortController()
const fetchOnce = globalThis.fetch
globalThis.fetch = async (...request) => {
  setTimeout(() => controller.abort())
  return fetchOnce(...request)
}
const { signal } = controller
const aborted = await client.GET('/pets', { signal, params: { query: { limit: 1 } } }).catch((error) => error)
console.log(aborted.name)
globalThis.fetch = fetchOnce
`

/** Runs a command, which makes types, then compiles and runs a program. Returns what it prints. */
const compileAndRun = async (makeTypes: string, program: string): Promise<string> => {
  const cwd = temporaryFolder()
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(cwd, 'node_modules'))
  writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(cwd, 'program.ts'), program)
  const run = (command: string) => promisify(execFile)('bash', ['-ec', command], { cwd })
  await run(makeTypes)
  await run(COMPILE)
  return (await run('node program.ts')).stdout
}

/** What the attempts of a request get, instead of the response of the server. */
const faultsOf = (method: string): (Fate | undefined)[] =>
  method === 'GET'
    ? ['1', new Date(Date.now() + 2000).toUTCString(), 'soon'].map((after) => ({
        status: 429,
        headers: { 'Retry-After': after },
      }))
    : [undefined, 'cut', 'cutResponse'] // The first gets a 503, because of the database.

/** Serves an API with `faultsOf`. `early` has the retries that came before `Retry-After`. */
const serveWithFaults = async (api: LocalServer) => {
  const attempts = new Map<string, number>()
  const nextAt = new Map<string, number>()
  const early: string[] = []
  const { baseUrl } = await serveFake(async (request) => {
    const { method, path, headers } = request
    const id = `${method} ${path} ${headers['idempotency-key']}`
    if (Date.now() < (nextAt.get(id) ?? 0)) early.push(id)
    const attempt = attempts.get(id) ?? 0
    attempts.set(id, attempt + 1)
    const response = await forward(new URL(api.baseUrl).origin, request)
    const fate = faultsOf(method)[attempt] ?? response
    const after = (typeof fate === 'object' && fate.headers?.['Retry-After']) || '0'
    nextAt.set(id, after.includes('GMT') ? Date.parse(after) : Date.now() + 1000 * Number(after))
    return fate
  })
  return { baseUrl, early }
}

/**
 * Lets the database carry out each write with a key, and then fail once. Returns the writes, each
 * with its transactions: one that is repeated would take effect again.
 */
const failAfterWrites = (): Map<string, Set<string>> => {
  const writes = new Map<string, Set<string>>()
  proxy.faultOf = ({ operation, body }) => {
    const [, write] = /"intent":\{"S":"(\w+)"/.exec(body) ?? []
    if (operation !== 'TransactWriteItems' || !write) return 'pass'
    const earlier = writes.get(write)
    writes.set(write, new Set(earlier).add(JSON.parse(body).ClientRequestToken))
    return earlier ? 'pass' : { carriedOut: databaseResponses.malformed }
  }
  return writes
}

test('the client of the guide writes once, whatever fails, reads all pages, and can be aborted', async () => {
  const server = await startTestServer(['--empty'], { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint })
  const body = `{"name":"Mia","categoryId":${LARGEST}}`
  const sent = { method: 'POST', path: '/pets', headers: headersOf(server), body }
  await send(server.baseUrl, sent)
  const [commands = '', client = '', list, int64] = await guideBlocks(server)
  const [makeTypes = ''] = commands.replace('<address>', server.baseUrl).split('\n')
  const { baseUrl, early } = await serveWithFaults(server)
  const writes = failAfterWrites()

  const own = client.replace('<address>', baseUrl).replace('<API_KEY>', server.apiKey)
  const printed = await compileAndRun(makeTypes, [own, int64, WRITES, ABORT, list].join('\n'))

  const [first = '', aborted, ...listed] = printed.trim().split('\n')
  const stored = await storedItems()
  const renamed = Array.from({ length: PETS }, (_, i) => ({
    id: stored.find(({ name }) => name === `max-${i}`)?.id,
    ...newPet(`max-${i}`),
  }))
  expect(JSON.parse(first)).toEqual({ categoryId: LARGEST, made: renamed.map((pet) => [204, pet]) })
  expect(stored).toHaveLength(PETS + 1)
  expect([...writes.values()].map(({ size }) => size)).toEqual(Array(PETS * 4).fill(1))
  expect(listed.toSorted()).toEqual(stored.map(({ id, name }) => `${id} ${name}`).toSorted())
  expect(early).toEqual([])
  expect(aborted).toBe('AbortError')
})

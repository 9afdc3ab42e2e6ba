import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { entries } from '../../shared/contract.ts'
import { stringifyJson } from '../../shared/model/json.ts'
import { PATH_PARAMETER } from '../../shared/pipeline/by-method.ts'
import type { AnyEntry } from '../../shared/pipeline/entry.ts'
import { scopes } from '../../shared/service.ts'
import { CommandError, printable, runCommand, stopSignal } from '../command-line.ts'
import { type ApiAccess, ApiClient, type ApiResponse } from './api-client.ts'
import { withCommandKey } from './api-keys.ts'
import { deploymentCommand, findDeployment } from './deployment.ts'
import { Progress } from './progress.ts'

const DESCRIPTION = `\
Tests a deployment: adds, lists and deletes a pet, calls each function, and checks error responses.
Issues an API key for itself and deletes it. Fails at the first wrong response; the output says what
is left.`

const smokeCommand = deploymentCommand('npm run smoke --', DESCRIPTION)
  .option('--base-url <address>', 'call the API at another address, such as a new domain')
  .action(async ({ baseUrl: named, ...target }) => {
    // A canceled pipeline should leave neither the pet nor the key.
    const signal = stopSignal()
    const deployment = await findDeployment(target)
    const baseUrl = named ?? deployment.baseUrl
    await withCommandKey(deployment, 'smoke-test', scopes, async (apiKey) => {
      console.info(`Testing ${baseUrl}`)
      await smokeTest({ ...deployment, baseUrl, apiKey, waitSeconds: 30, signal })
    })
  })

/** An API, and for how many seconds to repeat a GET: a new deployment or a list may be late. */
type TestedApi = Omit<ApiAccess, 'progress'> & { waitSeconds: number }

/** A request, and the response that it should get: its status, and a text in its body. */
type Check = {
  method: string
  path: string
  headers?: Record<string, string>
  body?: object | undefined
  expect: number
  contains?: string
  /** What is special about the request. */
  note?: string
}

/** Tests an API. Throws a CommandError, or the reason of its signal, after it has deleted its pet. */
export const smokeTest = async (access: TestedApi): Promise<void> => {
  const check = checksOf(access)
  await check({ method: 'GET', path: '/pets?limit=1', expect: 200 })
  const id = await checkPet(access)
  for (const entry of Object.values(entries)) await check(harmlessCheck(entry, id))
  // Errors of API Gateway itself have the same body as those of functions.
  await check({ method: 'GET', path: '/pets/1/smoke-test', expect: 404 })
  await check({ method: 'PUT', path: '/pets', expect: 405 })
  const checkWithoutKey = checksOf({ ...access, apiKey: async () => '' })
  await checkWithoutKey({ method: 'GET', path: '/pets', expect: 401, note: 'without a key' })
}

/** Adds, lists and deletes a pet. Returns its id. */
const checkPet = async (access: TestedApi): Promise<number> => {
  const check = checksOf(access)
  const name = `smoke-test-${randomUUID()}`
  const creation = {
    method: 'POST',
    path: '/pets',
    headers: { 'Idempotency-Key': name },
    body: { name, categoryId: 1, status: 'sold' }, // No shop offers a pet that is sold.
    expect: 201,
    contains: name,
    note: `"${name}"`,
  }
  try {
    const { text, json } = await check(creation)
    await check({ ...creation, contains: text, note: 'with the same Idempotency-Key' })
    const list = { method: 'GET', path: '/pets?status=sold&limit=100', expect: 200 }
    await check({ ...list, contains: text, note: 'for the new pet' })
    await check(deletionOf(json, creation))
    return Object(json).id
  } catch (error) {
    await removePet(access, creation)
    throw error
  }
}

/** With a key, so that it is right although the pet was deleted before. */
const deletionOf = (pet: unknown, { headers }: Check): Check => {
  return { method: 'DELETE', path: `/pets/${Object(pet).id}`, headers, expect: 204 }
}

/** Deletes the pet of a failed run. To find it, repeats its creation with the same key. */
const removePet = async (access: TestedApi, creation: Check): Promise<void> => {
  const { signal } = new AbortController() // The other one may have aborted.
  const check = checksOf({ ...access, signal, waitSeconds: 0 })
  try {
    const { json } = await check(creation)
    await check(deletionOf(json, creation))
  } catch {
    console.info(`${creation.note} may be left. Find it in GET /pets?status=sold, and delete it.`)
  }
}

/**
 * A request with an id that no resource has, which changes nothing. Its body is the first example
 * of the schema.
 */
const harmlessCheck = ({ method, path, body: schema, pages }: AnyEntry, id: number): Check => {
  const [body]: readonly object[] = schema ? v.getExamples(schema) : []
  const request = { method, path: path.replaceAll(PATH_PARAMETER, `${id}`), body }
  // It would take effect, but a key that is too long is refused first.
  const tooLong = { 'Idempotency-Key': 'x'.repeat(256) }
  if (method === 'POST') return { ...request, headers: tooLong, expect: 400 }
  const hasResource = path.includes('{') && !pages
  return { ...request, expect: hasResource ? 404 : 200 }
}

/** Sends the requests of checks. Throws a CommandError if a response is wrong. */
const checksOf = ({ waitSeconds, ...access }: TestedApi) => {
  const api = new ApiClient({ ...access, progress: new Progress('checks') })
  return async (row: Check): Promise<ApiResponse> => {
    const { method, path, headers = {}, body, expect, note } = row
    const request = { method, path, headers, body: body && stringifyJson(body) }
    const seconds = method === 'GET' ? waitSeconds : 0
    const response = await api.send(request, (each) => isRight(each, row), seconds)
    const name = [method, path, note].filter(Boolean).join(' ')
    if (isRight(response, row)) {
      console.info(`✓ ${name}: ${expect}`)
      return response
    }
    const { status, text, headers: received } = response
    const got = printable(`${status}: ${text.slice(0, 500)} (${received.get('X-Request-Id')})`)
    console.info(`✗ ${name}: expected ${expect}, got ${got}`)
    throw new CommandError('The smoke test failed.')
  }
}

/** Whether a response has the status, the text and, if it is an error, the body of all errors. */
const isRight = (
  { status, text, json }: ApiResponse,
  { expect, contains = '' }: Check,
): boolean => {
  const { code, message } = Object(json)
  const isError = isDeepStrictEqual(json, { status, code, message })
  return status === expect && text.includes(contains) && (status < 400 || isError)
}

if (import.meta.main) await runCommand(smokeCommand)

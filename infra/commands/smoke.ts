import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { entries } from '../../shared/contract.ts'
import { stringifyJson } from '../../shared/model/json.ts'
import type { Entry } from '../../shared/pipeline/entry.ts'
import { PATH_PARAMETER } from '../../shared/pipeline/entry-rules.ts'
import { scopes } from '../../shared/service.ts'
import { CommandError, run, stopSignal } from '../command-line.ts'
import { proxySentence } from '../proxy.ts'
import { ApiKeyTable, generateApiKey } from './api-key-table.ts'
import { deploymentCommand, findDeployment } from './deployment.ts'

const DESCRIPTION = `\
Tests a deployment: adds, lists and deletes a pet, calls each function, and checks error responses.
Issues an API key for itself and deletes it. Fails at the first wrong response; the output says what
is left.`

const smokeCommand = deploymentCommand('npm run smoke --', DESCRIPTION)
  .option('--base-url <address>', 'call the API at another address, such as a new domain')
  .action(async ({ baseUrl, ...target }) => {
    // A canceled pipeline should leave neither the pet nor the key, which would expire anyway.
    const signal = stopSignal()
    const deployment = await findDeployment(target)
    const table = new ApiKeyTable(deployment)
    const owner = { name: 'smoke test', clientId: 'smoke-test', scopes, expiresIn: 600 }
    const { text: apiKey, stored } = generateApiKey(deployment, owner)
    const api = { baseUrl: baseUrl ?? deployment.baseUrl, apiKey, waitSeconds: 30, signal }
    try {
      await table.put(stored)
      console.info(`Testing ${api.baseUrl} with the key ${stored.keyId}`)
      await smokeTest(api)
    } finally {
      await table.remove(stored.digest)
      console.info(`The key ${stored.keyId} is deleted.`)
    }
  })

/** An API, a key for it, and how long to wait for it. Requests end when `signal` aborts. */
type TestedApi = { baseUrl: string; apiKey: string; waitSeconds: number; signal: AbortSignal }

/** Tests an API. Throws a CommandError, or the reason of `signal`, after it has deleted its pet. */
export const smokeTest = async (api: TestedApi): Promise<void> => {
  await check(api, 200, 'GET /pets?limit=1')
  const name = `smoke-test-${randomUUID()}`
  // Nobody can order a pet that is sold.
  const body = { name, categoryId: 1, status: 'sold' }
  const creation = { headers: { 'Idempotency-Key': name }, body }
  try {
    const id = await testPet(api, name, creation)
    await testFunctions(api, id)
    await check({ ...api, apiKey: '' }, 401, 'GET /pets without a key')
    // Errors of API Gateway itself have the same body as those of functions.
    await check(api, 404, 'GET /pets/1/smoke-test')
    await check(api, 405, 'PUT /pets')
  } catch (error) {
    await removePet({ ...api, signal: new AbortController().signal }, name, creation)
    throw error
  }
}

/** Adds, lists and deletes a pet. Returns its id. */
const testPet = async (api: TestedApi, name: string, creation: Sent): Promise<number> => {
  const { text, json } = await check(api, 201, `POST /pets "${name}"`, { ...creation, has: name })
  const { id } = Object(json)
  console.info(`If this is killed, delete the pet ${id}.`)
  await check(api, 201, 'POST /pets with the same Idempotency-Key', { ...creation, has: text })
  await check(api, 200, 'GET /pets?status=sold&limit=100 for the new pet', { has: text })
  await check(api, 204, `DELETE /pets/${id}`)
  return id
}

/** Calls each function with the id of the deleted pet. No other resource has that id. */
const testFunctions = async (api: TestedApi, id: number): Promise<void> => {
  for (const entry of Object.values(entries)) {
    const { status, ...sent } = harmlessRequest(entry)
    const request = `${entry.method} ${entry.path.replaceAll(PATH_PARAMETER, `${id}`)}`
    await check(api, status, request, sent)
  }
  await check(api, 409, 'POST /store/orders for the deleted pet', { body: { petId: id } })
}

/** A request that changes nothing, because its path names no resource, and the expected status. */
const harmlessRequest = ({ method, path, query, body: schema, pages }: Entry) => {
  const [body]: readonly object[] = schema ? v.getExamples(schema) : []
  // It would create a resource, but a key that is too long is refused first.
  if (method === 'POST') return { status: 400, body, headers: { 'Idempotency-Key': TOO_LONG } }
  // The body may have no example, and the query may have a required parameter.
  const isValid = (!schema || v.is(schema, body)) && (!query || v.is(query, {}))
  if (!isValid) return { status: 400, body }
  const hasResource = path.includes('{') && !pages
  return { status: hasResource ? 404 : 200, body }
}

const TOO_LONG = 'x'.repeat(256)

/** Deletes the pet of a failed run. To find it, repeats its creation with the same key. */
const removePet = async (api: TestedApi, name: string, creation: Sent): Promise<void> => {
  const { text, json } = await send(api, 'POST /pets', creation)
  const id = text.includes(name) ? Object(json).id : undefined // Another pet must stay.
  const status = id && (await send(api, `DELETE /pets/${id}`)).status
  if (status === 204 || status === 404) console.info(`"${name}" is deleted.`)
  else console.info(`"${name}" may be left. To delete it: DELETE /pets/${id ?? '<id>'}`)
}

/** What is sent besides method and path, and a text that the response must contain. */
type Sent = { headers?: Record<string, string>; body?: object | undefined; has?: string }
/** A response, and the JSON in it; `status` is 0 if there was none. */
type Received = { status: number; headers: Headers; text: string; json: unknown }

/**
 * Sends a request: a method, a path, and words for the reader. Repeats a GET for `waitSeconds`, as
 * a new deployment or a list may be late. Throws a CommandError if the response is wrong.
 */
const check = async (api: TestedApi, status: number, request: string, sent: Sent = {}) => {
  const end = Date.now() + (request.startsWith('GET') ? 1000 * api.waitSeconds : 0)
  for (;;) {
    const received = await send(api, request, sent)
    api.signal.throwIfAborted()
    const { code, message } = Object(received.json)
    const isError = isDeepStrictEqual(received.json, { status, code, message })
    const isRight = received.status === status && received.text.includes(sent.has ?? '')
    if (isRight && (status < 400 || isError)) {
      console.info(`✓ ${request}: ${status}`)
      return received
    }
    if (Date.now() >= end) {
      const { status: got, text, headers } = received
      const response = `${got}: ${text.slice(0, 500)} (${headers.get('X-Request-Id')})`
      console.info(`✗ ${request}: expected ${status}, got ${response}`)
      throw new CommandError('The smoke test failed.')
    }
    await pause(500, undefined, { signal: api.signal }).catch(() => {})
  }
}

/** Sends a request. Never throws. */
const send = async (api: TestedApi, request: string, sent: Sent = {}): Promise<Received> => {
  const [method = '', path = ''] = request.split(' ')
  const authorization = api.apiKey && { Authorization: `Bearer ${api.apiKey}` }
  try {
    const response = await fetch(api.baseUrl + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...authorization, ...sent.headers },
      body: sent.body ? stringifyJson(sent.body) : null,
      signal: api.signal, // No time limit: API Gateway gives up after 29 s.
    })
    const { status, headers } = response
    const text = await response.text()
    const json = await new Response(text).json().catch(() => undefined)
    return { status, headers, text, json }
  } catch (error) {
    const { cause = error } = Object(error) // `fetch` says why in the cause.
    const text = `${cause}. ${proxySentence()}`
    return { status: 0, headers: new Headers(), text, json: undefined }
  }
}

if (import.meta.main) await run(smokeCommand)

import assert from 'node:assert/strict'
import { STATUS_CODES } from 'node:http'
import * as v from 'valibot'
import { contract } from '../../shared/contract.ts'
import { exactJson, stringifyJson } from '../../shared/model/json.ts'
import type { Pets } from '../../shared/pets/pet.ts'
import type { Received, Sent } from '../support/http.ts'
import { FRESH } from './bodies.ts'
import type { ClientRequest, Page } from './headers.ts'

/** What is known about a response. */
type Expected = Partial<Pick<ClientRequest, 'method' | 'statuses' | 'wanted' | 'page'>>

/** Sends a request, relative to the base address, with a valid API key. */
export type Call = (request: Sent) => Promise<Received>

/** Stores pets, and returns a function that fills in the placeholders of a `ClientRequest`. */
export const prepare = async (call: Call) => {
  const add = async (body: string) => (await call({ method: 'POST', path: '/pets', headers: JSON_BODY, body })).text
  // So that the next page of a filtered list is never empty: nothing deletes these.
  for (const status of ['available', 'pending']) await add(`{"name":"Tom","categoryId":7,"status":"${status}"}`)
  const [id = ''] = /\d+/.exec(await add(FRESH)) ?? []
  const { link = '' } = (await call({ path: '/pets?limit=1' })).headers
  const [, cursor = ''] = /cursor=([\w-]+)/.exec(link) ?? []
  return async (text: string): Promise<string> => {
    const [fresh = ''] = /\d+/.exec(text.includes('{fresh}') ? await add(FRESH) : '') ?? []
    return text.replaceAll('{id}', id).replaceAll('{cursor}', cursor).replaceAll('{fresh}', fresh)
  }
}

const JSON_BODY = { 'Content-Type': 'application/json' }

/** Checks everything that the interface says about a response; `call` reads back what it names. */
export const checkResponse = async (response: Received, expected: Expected, call: Call): Promise<void> => {
  const { status, text } = response
  checkHeaders(response)
  if (expected.statuses) assert.ok(expected.statuses.includes(status), `Expected status ${expected.statuses}.`)
  if (status === 204 || expected.method === 'HEAD') assert.equal(text, '')
  else if (status >= 400) checkError(response)
  else if (status === 201) await checkCreated(response, expected.wanted, call)
  else if (expected.method === 'PATCH') await checkStored('updatePet', response, expected.wanted, call)
  else await checkListed(response, expected.page, call)
}

const checkHeaders = ({ status, headers }: Received): void => {
  assert.ok([200, 201, 204].includes(status) || (status >= 400 && status < 500), `The status is ${status}.`)
  assert.equal(headers['content-type'], status === 204 ? undefined : 'application/json')
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.match(headers['x-request-id'] ?? '', /^\S+$/)
  assert.equal(status === 405, 'allow' in headers)
  // API Gateway's REST APIs rename the header of a challenge.
  assert.equal(status === 401, 'www-authenticate' in headers || 'x-amzn-remapped-www-authenticate' in headers)
}

const checkError = ({ status, text, body }: Received): void => {
  // Node.js has the old reason phrase of 422, which RFC 9110 replaced.
  const reason = status === 422 ? 'Unprocessable Content' : STATUS_CODES[status]
  const { message } = Object(body)
  assert.match(message, /\S/)
  assert.equal(text, JSON.stringify({ code: reason?.toLowerCase().replaceAll(' ', '_'), message, status }))
}

const checkCreated = async (response: Received, wanted: string | undefined, call: Call): Promise<void> => {
  const id = await checkStored('createPet', response, wanted, call)
  const { location, etag } = response.headers
  assert.deepEqual([location, etag], [`/v1/pets/${id}`, `"${id}"`])
}

/** Checks that a pet is the wanted one, and that a change that leaves it as it is returns the same. Returns its id. */
const checkStored = async (
  operation: 'createPet' | 'updatePet',
  response: Received,
  wanted: string | undefined,
  call: Call,
): Promise<string> => {
  checkSchema(operation, response)
  const [, id = ''] = /^\{"id":(\d+),/.exec(response.text) ?? []
  if (wanted) assert.equal(response.text, wanted.replace('{id}', id))
  const body = JSON.stringify({ name: Object(response.body).name })
  // Another response may have the tag of a creation, whose pet was changed since.
  const ifMatch = operation === 'updatePet' && { 'If-Match': response.headers.etag ?? '' }
  const stored = await call({ method: 'PATCH', path: `/pets/${id}`, headers: { ...JSON_BODY, ...ifMatch }, body })
  assert.deepEqual([stored.status, stored.text], [200, response.text])
  return id
}

/** Checks that a page has the pets that it may have, newest first, and that its link leads to older ones. */
const checkListed = async (response: Received, page: Page | undefined, call: Call): Promise<void> => {
  const pets = petsOf(response)
  const ids = pets.map(({ id }) => Number(id))
  const sorted = [...new Set(ids)].sort((a, b) => b - a)
  assert.deepEqual(ids, sorted)
  if (page) assert.ok(pets.length <= page.limit, `There are ${pets.length} pets.`)
  if (page?.status) assert.ok(pets.every(({ status }) => status === page.status))
  const { link, etag } = response.headers
  assert.equal(etag, undefined)
  if (link === undefined) return
  const { pathname, search } = new URL(/^<(.+)>; rel="next"$/.exec(link)?.[1] ?? '')
  const [first] = petsOf(await call({ path: (pathname + search).replace('/v1', '') }))
  assert.ok(first && Number(first.id) < (ids.at(-1) ?? 0), 'The next page does not continue this one.')
}

const petsOf = (response: Received): Pets => {
  assert.equal(response.status, 200)
  checkSchema('listPets', response)
  return response.body as Pets // As its schema says.
}

/** Checks that a body is exactly what the contract describes. */
const checkSchema = (id: 'listPets' | 'createPet' | 'updatePet', { text, body }: Received): void =>
  assert.equal(stringifyJson(v.parse(contract[id].success.body, exactJson(text, body))), text)

/** Checks that two requests with the same idempotency key and the same body, sent at once, added at most one pet. */
export const checkReplay = (responses: Received[]): void => {
  const results = new Set(responses.map(({ status, text }) => `${status} ${text}`))
  assert.equal(results.size, 1, 'The two responses differ.')
  const added = responses.filter(({ status, headers }) => status === 201 && !headers['idempotent-replayed'])
  assert.ok(added.length <= 1, 'Both requests added a pet.')
}

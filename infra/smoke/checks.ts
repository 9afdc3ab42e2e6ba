import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { contract, operationIds } from '../../shared/contract.ts'
import { type KeyPrefix, newApiKey } from '../../shared/model/api-key.ts'
import { stringifyJson } from '../../shared/model/json.ts'
import { MAX_LIMIT } from '../../shared/model/pet.ts'
import { type Api, type Check, type Outcome, runCheck, type Sent } from './check.ts'

/** The key that the checks use, its stage's prefix, and how long to wait for the API and for lists. */
export type Settings = { key: string; keyPrefix: KeyPrefix; waitSeconds: number }

/**
 * Runs all checks and prints a line for each. Returns whether all passed. The signal of `api` ends the checks, but the pet
 * that they added is still deleted.
 */
export const runChecks = async (api: Api, settings: Settings): Promise<boolean> => {
  // If the API does not respond, the other checks cannot tell anything.
  if (!(await run(api, responds(settings))).passed) return false
  const petPassed = await runPetChecks(api, settings)
  return (await runAll(api, errorChecks(settings))) && petPassed
}

const runPetChecks = async (api: Api, settings: Settings): Promise<boolean> => {
  const pet = newSmokePet()
  const create = createRequest(settings.key, pet)
  // A signal stops neither the creation, whose response has the id of the pet, nor the deletion.
  const unstoppable = { ...api, stopped: new AbortController().signal }
  const created = await run(unstoppable, isCreated(create, pet))
  const isKnown = isStoredPet(created.body, pet)
  const passed = isKnown && (await runAll(api, petChecks(create, created.body, settings)))
  const isDeleted = isKnown && (await runAll(unstoppable, deletion(created.body, settings)))
  if (!isDeleted) console.info(`The pet "${pet.name}" may still be in the store.`)
  return created.passed && passed && isDeleted
}

const runAll = async (api: Api, checks: Check[]): Promise<boolean> => {
  let passed = true
  for (const check of checks) passed = (await run(api, check)).passed && passed
  return passed
}

const run = async (api: Api, check: Check): Promise<Outcome> => {
  const outcome = await runCheck(api, check)
  if (!api.stopped.aborted) console.info(outcome.line)
  return outcome
}

// `sold`, so that no shop offers it. The largest int64 shows whether integers stay exact.
const newSmokePet = () => ({
  name: `Smoke test of ${new Date().toISOString()}`,
  categoryId: 9_223_372_036_854_775_807n,
  status: 'sold',
})

const createRequest = (key: string, pet: object): Sent => ({
  method: 'POST',
  path: '/pets',
  key,
  idempotencyKey: randomUUID(),
  body: stringifyJson(pet),
})

// A new deployment may take some seconds to respond.
const responds = ({ key, waitSeconds }: Settings): Check => ({
  what: 'GET /pets?limit=1',
  request: { path: '/pets?limit=1', key },
  status: 200,
  body: { described: 'an array', fits: Array.isArray },
  waitSeconds,
})

const isCreated = (request: Sent, pet: { name: string }): Check => ({
  what: `POST /pets with "${pet.name}"`,
  request,
  status: 201,
  body: { described: 'the pet with its id', fits: (body) => isStoredPet(body, pet) },
  header: { names: ['Location'], value: /^\/.*\/\d+$/ },
})

const isStoredPet = (body: unknown, pet: object): boolean =>
  isDeepStrictEqual(body, { id: idOf(body), ...pet }) && Number.isSafeInteger(idOf(body))

const LIST = `/pets?status=sold&limit=${MAX_LIMIT}`

const petChecks = (create: Sent, pet: unknown, { key, waitSeconds }: Settings): Check[] => [
  {
    what: 'POST /pets again, with the same Idempotency-Key',
    request: create,
    status: 201,
    body: { described: 'the same pet', fits: (body) => isDeepStrictEqual(body, pet) },
    header: { names: ['Idempotent-Replayed'], value: /^true$/ },
  },
  {
    what: `GET ${pathOf(pet)}`,
    request: { path: pathOf(pet), key },
    status: 200,
    body: { described: 'the pet', fits: (body) => isDeepStrictEqual(body, pet) },
  },
  {
    what: `GET ${LIST}`,
    request: { path: LIST, key },
    status: 200,
    body: {
      described: 'the pet among others',
      fits: (body) => Array.isArray(body) && body.some((each) => isDeepStrictEqual(each, pet)),
    },
    waitSeconds, // The index of a list follows the table with a delay.
  },
  {
    what: `PATCH ${pathOf(pet)} with the status pending`,
    request: { method: 'PATCH', path: pathOf(pet), key, body: '{"status":"pending"}' },
    status: 200,
    body: {
      described: 'the changed pet',
      fits: (body) => isDeepStrictEqual(body, { ...Object(pet), status: 'pending' }),
    },
  },
]

const deletion = (pet: unknown, { key }: Settings): Check[] => [
  {
    what: `DELETE ${pathOf(pet)}`,
    request: { method: 'DELETE', path: pathOf(pet), key },
    status: 204,
    body: { described: 'no body', fits: (body) => body === '' },
  },
  isError(`GET ${pathOf(pet)} after that`, { path: pathOf(pet), key }, NOT_FOUND),
]

const pathOf = (pet: unknown): string => `/pets/${idOf(pet)}`

const idOf = (pet: unknown): unknown => (typeof pet === 'object' && pet !== null && 'id' in pet ? pet.id : undefined)

// Errors of the functions and of API Gateway itself have the same body.
const errorChecks = ({ key, keyPrefix }: Settings): Check[] => [
  ...operationIds.map((id) => {
    const { method, path } = contract[id]
    const request = { method, path: path.replaceAll(/{\w+}/g, '1') }
    return isError(`${method} ${path} without a key`, request, UNAUTHORIZED)
  }),
  isError('GET /pets with an unknown key', { path: '/pets', key: newApiKey(keyPrefix) }, UNAUTHORIZED),
  isError('POST /pets with an invalid body', { method: 'POST', path: '/pets', key, body: '{"name":""}' }, BAD_REQUEST),
  isError('GET /pets/1', { path: '/pets/1', key }, NOT_FOUND),
  isError('GET /smoke-test', { path: '/smoke-test', key }, NOT_FOUND),
  isError('GET /pets/1/smoke-test', { path: '/pets/1/smoke-test', key }, NOT_FOUND),
  isError('DELETE /pets', { method: 'DELETE', path: '/pets', key }, METHOD_NOT_ALLOWED),
]

type ExpectedError = { status: number; code: string; header?: Check['header'] }

const BAD_REQUEST: ExpectedError = { status: 400, code: 'bad_request' }
const UNAUTHORIZED: ExpectedError = {
  status: 401,
  code: 'unauthorized',
  // API Gateway renames the header of RFC 6750.
  header: { names: ['WWW-Authenticate', 'x-amzn-Remapped-WWW-Authenticate'], value: /^Bearer / },
}
const NOT_FOUND: ExpectedError = { status: 404, code: 'not_found' }
const METHOD_NOT_ALLOWED: ExpectedError = {
  status: 405,
  code: 'method_not_allowed',
  header: { names: ['Allow'], value: /GET.*POST/ },
}

const isError = (what: string, request: Sent, { code, ...expected }: ExpectedError): Check => ({
  what,
  request,
  ...expected,
  body: {
    described: `the error body of ${code}`,
    fits: (body) => {
      const message = typeof body === 'object' && body !== null && 'message' in body ? body.message : ''
      const { status } = expected
      return typeof message === 'string' && message !== '' && isDeepStrictEqual(body, { code, message, status })
    },
  },
})

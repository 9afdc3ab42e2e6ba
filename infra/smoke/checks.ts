import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type KeyPrefix, newApiKey } from '../../shared/model/api-key.ts'
import { stringifyJson } from '../../shared/model/json.ts'
import { MAX_LIMIT } from '../../shared/model/pet.ts'
import { CommandError } from '../command-line.ts'
import { type Api, type Check, carryOut, type Outcome, type Sent } from './check.ts'

/** The pet that a smoke test adds. `sold`, so that no shop offers it; the largest int64 must come back exactly. */
export const newSmokePet = () => ({
  name: `Smoke test of ${new Date().toISOString()}`,
  categoryId: 9_223_372_036_854_775_807n,
  status: 'sold',
})

type SmokePet = ReturnType<typeof newSmokePet>

/** The API answers. A fresh deployment may take some seconds to. */
export const isUp = (key: string, waitSeconds: number): Check => ({
  what: 'GET /pets?limit=1',
  request: { path: '/pets?limit=1', key },
  status: 200,
  body: { described: 'an array', fits: Array.isArray },
  waitSeconds,
})

/** A request to add a pet, once. */
export const adding = (key: string, pet: SmokePet): Sent => ({
  method: 'POST',
  path: '/pets',
  key,
  idempotencyKey: randomUUID(),
  body: stringifyJson(pet),
})

/** A pet can be added. */
export const isAdded = (request: Sent, pet: SmokePet): Check => ({
  what: `POST /pets with "${pet.name}"`,
  request,
  status: 201,
  body: {
    described: 'the pet with its id',
    fits: (body) => isDeepStrictEqual(body, { id: idOf(body), ...pet }) && Number.isSafeInteger(idOf(body)),
  },
  header: { names: ['Location'], value: /^\/.*\/\d+$/ },
})

/** The same request does not add it again. */
export const isAddedOnce = (request: Sent, pet: unknown): Check => ({
  what: 'POST /pets again, with the same Idempotency-Key',
  request,
  status: 201,
  body: { described: 'the same pet', fits: (body) => isDeepStrictEqual(body, pet) },
  header: { names: ['Idempotent-Replayed'], value: /^true$/ },
})

const LIST = `/pets?status=sold&limit=${MAX_LIMIT}`

/** What was added can be read, and listed: in the index, at the latest after a moment. */
export const isThere = (key: string, pet: unknown, waitSeconds: number): Check[] => [
  {
    what: `GET /pets/${idOf(pet)}`,
    request: { path: `/pets/${idOf(pet)}`, key },
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
    waitSeconds,
  },
]

const idOf = (pet: unknown): unknown => (typeof pet === 'object' && pet !== null && 'id' in pet ? pet.id : undefined)

/** Every error has the same body, also those that API Gateway makes. */
export const errorsAreAsSaid = (key: string, keyPrefix: KeyPrefix): Check[] => [
  error(
    'POST /pets with a wrong body',
    { method: 'POST', path: '/pets', key, body: '{"name":""}' },
    400,
    'bad_request',
  ),
  { ...error('GET /pets without a key', { path: '/pets' }, 401, 'unauthorized'), header: CHALLENGE },
  {
    ...error('GET /pets with an unknown key', { path: '/pets', key: newApiKey(keyPrefix) }, 401, 'unauthorized'),
    header: CHALLENGE,
  },
  error('GET /pets/1', { path: '/pets/1', key }, 404, 'not_found'),
  error('GET /smoke-test', { path: '/smoke-test', key }, 404, 'not_found'),
  error('GET /pets/1/smoke-test', { path: '/pets/1/smoke-test', key }, 404, 'not_found'),
  {
    ...error('DELETE /pets', { method: 'DELETE', path: '/pets', key }, 405, 'method_not_allowed'),
    header: { names: ['Allow'], value: /GET.*POST/ },
  },
]

// API Gateway renames the header of RFC 6750 on the way out.
const CHALLENGE = { names: ['WWW-Authenticate', 'x-amzn-Remapped-WWW-Authenticate'], value: /^Bearer / }

const error = (what: string, request: Check['request'], status: number, code: string): Check => ({
  what,
  request,
  status,
  body: { described: `the Error body of ${code}`, fits: (body) => isErrorBody(body, status, code) },
})

const isErrorBody = (body: unknown, status: number, code: string): boolean => {
  const message = typeof body === 'object' && body !== null && 'message' in body ? body.message : ''
  return typeof message === 'string' && message !== '' && isDeepStrictEqual(body, { code, message, status })
}

/** Carries out all checks, prints a line for each, and tells whether all passed. */
export const runChecks = async (
  api: Api,
  { key, keyPrefix, waitSeconds }: { key: string; keyPrefix: KeyPrefix; waitSeconds: number },
): Promise<boolean> => {
  // Nothing else can be told of an API that does not answer.
  if (!(await run(api, isUp(key, waitSeconds))).passed) return false
  const pet = newSmokePet()
  const request = adding(key, pet)
  const added = await run(api, isAdded(request, pet))
  const outcomes = [added]
  const readable = added.passed ? [isAddedOnce(request, added.body), ...isThere(key, added.body, waitSeconds)] : []
  for (const check of [...readable, ...errorsAreAsSaid(key, keyPrefix)]) outcomes.push(await run(api, check))
  console.info('What was added stays in the catalogue: the API has no operation that deletes a pet.')
  return outcomes.every(({ passed }) => passed)
}

const run = async (api: Api, check: Check): Promise<Outcome> => {
  const outcome = await carryOut(api, check)
  if (api.stopped.aborted) throw new CommandError('Stopped.')
  console.info(outcome.line)
  return outcome
}

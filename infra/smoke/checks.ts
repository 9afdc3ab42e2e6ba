import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type KeyPrefix, newApiKey } from '../../shared/model/api-key.ts'
import { stringifyJson } from '../../shared/model/json.ts'
import { MAX_LIMIT } from '../../shared/model/pet.ts'
import { CommandError } from '../command-line.ts'
import { type Api, type Check, type Outcome, runCheck, type Sent } from './check.ts'

/** The key that the checks use, its stage's prefix, and how long to wait for the API and for lists. */
export type Settings = { key: string; keyPrefix: KeyPrefix; waitSeconds: number }

/**
 * Runs all checks and prints a line for each. Returns whether all passed.
 *
 * @throws CommandError if the API is stopped
 */
export const runChecks = async (api: Api, settings: Settings): Promise<boolean> => {
  // If the API does not respond, the other checks cannot tell anything.
  if (!(await run(api, responds(settings))).passed) return false
  const pet = newSmokePet()
  const create = createRequest(settings.key, pet)
  const created = await run(api, isCreated(create, pet))
  const outcomes = [created]
  const dependent = created.passed ? [isReplayed(create, created.body), ...isStored(created.body, settings)] : []
  for (const check of [...dependent, ...errorChecks(settings)]) outcomes.push(await run(api, check))
  console.info('The pet stays in the store: the API has no operation that deletes it.')
  return outcomes.every(({ passed }) => passed)
}

const run = async (api: Api, check: Check): Promise<Outcome> => {
  const outcome = await runCheck(api, check)
  if (api.stopped.aborted) throw new CommandError('Stopped.')
  console.info(outcome.line)
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
  body: {
    described: 'the pet with its id',
    fits: (body) => isDeepStrictEqual(body, { id: idOf(body), ...pet }) && Number.isSafeInteger(idOf(body)),
  },
  header: { names: ['Location'], value: /^\/.*\/\d+$/ },
})

const isReplayed = (request: Sent, pet: unknown): Check => ({
  what: 'POST /pets again, with the same Idempotency-Key',
  request,
  status: 201,
  body: { described: 'the same pet', fits: (body) => isDeepStrictEqual(body, pet) },
  header: { names: ['Idempotent-Replayed'], value: /^true$/ },
})

const LIST = `/pets?status=sold&limit=${MAX_LIMIT}`

const isStored = (pet: unknown, { key, waitSeconds }: Settings): Check[] => [
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
    waitSeconds, // The index of a list follows the table with a delay.
  },
]

const idOf = (pet: unknown): unknown => (typeof pet === 'object' && pet !== null && 'id' in pet ? pet.id : undefined)

// Errors of the functions and of API Gateway itself have the same body.
const errorChecks = ({ key, keyPrefix }: Settings): Check[] => [
  isError('POST /pets with an invalid body', { method: 'POST', path: '/pets', key, body: '{"name":""}' }, BAD_REQUEST),
  isError('GET /pets without a key', { path: '/pets' }, UNAUTHORIZED),
  isError('GET /pets with an unknown key', { path: '/pets', key: newApiKey(keyPrefix) }, UNAUTHORIZED),
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

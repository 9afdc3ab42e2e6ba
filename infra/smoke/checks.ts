import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { contract } from '../../shared/contract.ts'
import { type KeyPrefix, newApiKey } from '../../shared/model/api-key.ts'
import { MAX_LIMIT } from '../../shared/model/pet.ts'
import { type Api, type Check, runCheck, type Sent } from './check.ts'

/** The key that the checks use, its stage's prefix, and how long to wait for the API and for lists. */
export type Settings = { key: string; keyPrefix: KeyPrefix; waitSeconds: number }

/**
 * Runs all checks and prints a line for each. Returns whether all passed. The signal of `api` ends the checks, but the pet
 * that they added is still deleted.
 */
export const runChecks = async (api: Api, settings: Settings): Promise<boolean> => {
  const { key, waitSeconds } = settings
  // A new deployment may take some seconds to respond. If it does not, the other checks cannot tell anything.
  const list = { method: 'GET', path: `${PETS}?limit=1`, headers: bearer(key) }
  const isReady: Check = { request: list, status: 200, fits: ({ body }) => Array.isArray(body), waitSeconds }
  if (!(await runAll(api, [isReady]))) return false
  const petPassed = await checkPet(api, settings)
  return (await runAll(api, errorChecks(settings))) && petPassed
}

const PETS = contract.createPet.path

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

const runAll = async (api: Api, checks: Check[]): Promise<boolean> => {
  let passed = true
  for (const check of checks) passed = (await runCheck(api, check)).passed && passed
  return passed
}

const checkPet = async (api: Api, { key, waitSeconds }: Settings): Promise<boolean> => {
  // `sold`, so that no shop offers it. The largest int64 shows whether integers stay exact.
  const wanted = { name: `Smoke test of ${new Date().toISOString()}`, categoryId: 2n ** 63n - 1n, status: 'sold' }
  const headers = { ...bearer(key), 'Idempotency-Key': randomUUID() }
  const create: Sent = { method: 'POST', path: PETS, headers, body: wanted }
  // A signal stops neither the creation, whose response has the id of the pet, nor the deletion.
  const unstoppable = { ...api, stopped: new AbortController().signal }

  const created = await runCheck(unstoppable, {
    request: create,
    with: `with "${wanted.name}"`,
    status: 201,
    fits: ({ headers, body }) => /^\/.*\/\d+$/.test(headers.get('Location') ?? '') && isPet(body, wanted),
  })
  const pet = created.body
  const isKnown = isPet(pet, wanted)
  const passed = isKnown && (await runAll(api, petChecks(create, pet, key, waitSeconds)))
  const isDeleted = isKnown && (await runAll(unstoppable, deletion(pet, key)))
  if (!isDeleted) console.info(`The pet "${wanted.name}" may still be in the store.`)
  return created.passed && passed && isDeleted
}

type Pet = { id: number; name: string; categoryId: bigint; status: string }

const isPet = (body: unknown, wanted: Omit<Pet, 'id'>): body is Pet =>
  isDeepStrictEqual(body, { ...wanted, id: Object(body).id }) && Number.isSafeInteger(Object(body).id)

const change = ({ id }: Pet, key: string): Sent => ({
  method: 'PATCH',
  path: `${PETS}/${id}`,
  headers: bearer(key),
  body: { status: 'pending' },
})

const petChecks = (create: Sent, pet: Pet, key: string, waitSeconds: number): Check[] => [
  {
    request: create,
    with: 'again, with the same Idempotency-Key',
    status: 201,
    fits: ({ headers, body }) => headers.get('Idempotent-Replayed') === 'true' && isDeepStrictEqual(body, pet),
  },
  {
    request: { method: 'GET', path: `${PETS}?status=sold&limit=${MAX_LIMIT}`, headers: bearer(key) },
    with: 'for the new pet',
    status: 200,
    fits: ({ body }) => Array.isArray(body) && body.some((each) => isDeepStrictEqual(each, pet)),
    waitSeconds, // The index of a list follows the table with a delay.
  },
  {
    request: change(pet, key),
    status: 200,
    fits: ({ body }) => isDeepStrictEqual(body, { ...pet, status: 'pending' }),
  },
]

const deletion = (pet: Pet, key: string): Check[] => [
  { request: { method: 'DELETE', path: `${PETS}/${pet.id}`, headers: bearer(key) }, status: 204 },
  isError(404, change(pet, key), 'after that'),
]

// Errors of the functions and of API Gateway itself have the same body.
const errorChecks = ({ key, keyPrefix }: Settings): Check[] => {
  const headers = bearer(key)
  const unknown = bearer(newApiKey(keyPrefix))
  return [
    ...Object.values(contract).map(({ method, path }) => {
      return isError(401, { method, path: path.replaceAll(/{\w+}/g, '1') }, 'without a key', ...CHALLENGE)
    }),
    isError(401, { method: 'GET', path: PETS, headers: unknown }, 'with an unknown key', ...CHALLENGE),
    isError(400, { method: 'POST', path: PETS, headers, body: { name: '' } }, 'with an invalid body'),
    isError(404, { method: 'GET', path: '/smoke-test', headers }),
    isError(404, { method: 'GET', path: `${PETS}/1/smoke-test`, headers }),
    isError(405, { method: 'PUT', path: PETS, headers }, '', 'Allow'),
  ]
}

// API Gateway renames the header of RFC 6750.
const CHALLENGE = ['WWW-Authenticate', 'x-amzn-Remapped-WWW-Authenticate']

/** The error body of a status, with a header of one of these names. */
const isError = (status: number, request: Sent, how = '', ...names: string[]): Check => ({
  request,
  with: how,
  status,
  fits: ({ headers, body }) => {
    const code = STATUS_CODES[status]?.toLowerCase().replaceAll(' ', '_')
    const { message } = Object(body)
    const isErrorBody =
      typeof message === 'string' && message !== '' && isDeepStrictEqual(body, { code, message, status })
    return isErrorBody && (names.length === 0 || names.some((name) => headers.has(name)))
  },
})

import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { stringifyJson } from '../../shared/model/json.ts'
import { MAX_LIMIT } from '../../shared/model/limit.ts'
import type { Sent } from './api.ts'
import type { Check } from './check.ts'

/** The animal that a smoke test adds. `sold`, so that no shop offers it; the largest int64 must come back exactly. */
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

/** A request to add an animal, once. */
export const adding = (key: string, pet: SmokePet): Sent => ({
  method: 'POST',
  path: '/pets',
  key,
  idempotencyKey: randomUUID(),
  body: stringifyJson(pet),
})

/** An animal can be added. */
export const isAdded = (request: Sent, pet: SmokePet): Check => ({
  what: `POST /pets with "${pet.name}"`,
  request,
  status: 201,
  body: {
    described: 'the animal with its id',
    fits: (body) => isDeepStrictEqual(body, { id: idOf(body), ...pet }) && Number.isSafeInteger(idOf(body)),
  },
  header: { names: ['Location'], value: /^\/.*\/\d+$/ },
})

/** The same request does not add it again. */
export const isAddedOnce = (request: Sent, pet: unknown): Check => ({
  what: 'POST /pets again, with the same Idempotency-Key',
  request,
  status: 201,
  body: { described: 'the same animal', fits: (body) => isDeepStrictEqual(body, pet) },
  header: { names: ['Idempotent-Replayed'], value: /^true$/ },
})

const LIST = `/pets?status=sold&limit=${MAX_LIMIT}`

/** What was added can be read, and listed: in the index, at the latest after a moment. */
export const isThere = (key: string, pet: unknown, waitSeconds: number): Check[] => [
  {
    what: `GET /pets/${idOf(pet)}`,
    request: { path: `/pets/${idOf(pet)}`, key },
    status: 200,
    body: { described: 'the animal', fits: (body) => isDeepStrictEqual(body, pet) },
  },
  {
    what: `GET ${LIST}`,
    request: { path: LIST, key },
    status: 200,
    body: {
      described: 'the animal among others',
      fits: (body) => Array.isArray(body) && body.some((each) => isDeepStrictEqual(each, pet)),
    },
    waitSeconds,
  },
]

const idOf = (pet: unknown): unknown => (typeof pet === 'object' && pet !== null && 'id' in pet ? pet.id : undefined)

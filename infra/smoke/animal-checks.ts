import { isDeepStrictEqual } from 'node:util'
import { stringifyJson } from '../../shared/model/json.ts'
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

/** An animal can be added. */
export const isAdded = (key: string, pet: SmokePet): Check => ({
  what: `POST /pets with "${pet.name}"`,
  request: { method: 'POST', path: '/pets', key, body: stringifyJson(pet) },
  status: 201,
  body: {
    described: 'the animal with its id',
    fits: (body) => isDeepStrictEqual(body, { id: idOf(body), ...pet }) && Number.isSafeInteger(idOf(body)),
  },
  header: { names: ['Location'], value: /^\/.*\/\d+$/ },
})

/** What was added can be read, and listed: in the index, at the latest after a moment. */
export const isThere = (key: string, pet: unknown, waitSeconds: number): Check[] => [
  {
    what: `GET /pets/${idOf(pet)}`,
    request: { path: `/pets/${idOf(pet)}`, key },
    status: 200,
    body: { described: 'the animal', fits: (body) => isDeepStrictEqual(body, pet) },
  },
  {
    what: 'GET /pets?status=sold&limit=100',
    request: { path: '/pets?status=sold&limit=100', key },
    status: 200,
    body: {
      described: 'the animal among others',
      fits: (body) => Array.isArray(body) && body.some((each) => isDeepStrictEqual(each, pet)),
    },
    waitSeconds,
  },
]

const idOf = (pet: unknown): unknown => (typeof pet === 'object' && pet !== null && 'id' in pet ? pet.id : undefined)

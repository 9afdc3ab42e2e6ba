import { expect } from 'vitest'
import * as apiKeys from '../../../shared/data/api-keys.ts'
import * as pets from '../../../shared/data/pets.ts'
import { ApiError } from '../../../shared/model/api-error.ts'
import { newApiKey } from '../../../shared/model/api-key.ts'
import { create } from './create.ts'
import { storeKey } from './faulty-database.ts'

type Calls = Record<'find' | 'list' | 'create' | 'findKey', () => Promise<unknown>>

const rex = await create({ name: 'Rex', categoryId: 7, status: 'sold' })

/** All that the service asks of the database, with a key that it does not remember yet. */
export const everyCall = async (): Promise<Calls> => {
  const key = newApiKey('local')
  await storeKey(key)
  return {
    find: () => pets.find(rex.id),
    list: () => pets.list({ limit: 1, before: Number(rex.id) + 1 }),
    create: () => create({ name: 'Max', categoryId: 8 }),
    findKey: async () => (await apiKeys.find(key))?.clientId,
  }
}

/** What the calls come to when all is well. */
export const served = {
  find: rex,
  list: { pets: [rex], next: undefined },
  create: { id: expect.any(Number), name: 'Max', categoryId: 8 },
  findKey: 'ann',
}

/** What the calls come to, made at once: their results, or what they throw. */
export const outcomesOf = async (calls: Calls): Promise<Record<string, unknown>> => {
  const outcomes = Object.entries(calls).map(async ([name, call]) => [name, await call().catch(shapeOf)] as const)
  return Object.fromEntries(await Promise.all(outcomes))
}

/** What all calls come to, made at once, while the database is out of order, how long that takes, and right after. */
export const outage = async ({ begin, end }: { begin: () => unknown; end: () => unknown }) => {
  const calls = await everyCall()
  await begin()
  const started = performance.now()
  const during = await outcomesOf(calls)
  const milliseconds = performance.now() - started
  await end()
  return { during, milliseconds, after: await outcomesOf(calls) }
}

/** The same outcome for each of the calls. */
export const all = (outcome: unknown) => ({ find: outcome, list: outcome, create: outcome, findKey: outcome })

/** A 503 as the caller gets it. */
export const UNAVAILABLE = { status: 503, code: 'service_unavailable', headers: { 'Retry-After': '1' } }

const shapeOf = (error: unknown) => {
  if (!(error instanceof ApiError)) return error
  const { status, code, headers } = error
  return { status, code, headers }
}

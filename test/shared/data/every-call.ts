import * as apiKeys from '../../../shared/data/api-keys.ts'
import * as pets from '../../../shared/data/pets.ts'
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

/** What the calls come to, made at once: their results, or what they throw. */
export const outcomesOf = async (calls: Calls): Promise<Record<string, unknown>> => {
  const outcomes = Object.entries(calls).map(
    async ([name, call]) => [name, await call().catch((error) => error)] as const,
  )
  return Object.fromEntries(await Promise.all(outcomes))
}

/** The same outcome for each of the calls. */
export const all = (outcome: unknown) => ({ find: outcome, list: outcome, create: outcome, findKey: outcome })

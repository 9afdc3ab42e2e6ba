import { setting } from '../../shared/data/tables.ts'
import { answers, type Call } from '../support/fault-proxy.ts'
import type { Container } from './container.ts'
import { ask, type Wish } from './requests.ts'
import { storeAnother } from './stored.ts'

/** A way that a create can take. */
export type Way = {
  /** The calls of the database that it takes, when all is well. */
  calls: string[]
  hasKey: boolean
  /** What was before. */
  before?: (container: Container, wish: Wish) => Promise<unknown>
  /** What others do before the database gets a call. */
  meanwhile?: () => (call: Call) => Promise<void>
}

const diesBeforeThePut = async (container: Container, wish: Wish) => {
  container.proxy.faultOf = ({ body }) => (JSON.parse(body).Item?.name ? answers.html : 'pass')
  await ask(container, wish)
}

/** Gives the first id that the pet is put under to another one, at the last moment. */
const takeFirstId = () => {
  let isTaken = false
  return async ({ operation, body }: Call) => {
    const { TableName, Item } = JSON.parse(body)
    if (isTaken || operation !== 'PutItem' || TableName !== setting('petsTable')) return
    isTaken = true
    await storeAnother(Number(Item.id.N))
  }
}

const KEY = 'GetItem ApiKeys'
const RESERVE = 'PutItem IdempotencyKeys'
const RESERVED = 'GetItem IdempotencyKeys'
const PUT = 'PutItem Pets'
const READ = 'GetItem Pets'

export const ways: Record<string, Way> = {
  'with a key': { hasKey: true, calls: [KEY, RESERVE, PUT] },
  'with a key that was answered before': { hasKey: true, calls: [KEY, RESERVE, RESERVED, PUT, READ], before: ask },
  'with a key that was not served before': {
    hasKey: true,
    calls: [KEY, RESERVE, RESERVED, PUT],
    before: diesBeforeThePut,
  },
  'with a key, and an id that is taken': {
    hasKey: true,
    calls: [KEY, RESERVE, PUT, READ, RESERVE, PUT],
    meanwhile: takeFirstId,
  },
  'without a key': { hasKey: false, calls: [KEY, PUT] },
  'without a key, and an id that is taken': { hasKey: false, calls: [KEY, PUT, READ, PUT], meanwhile: takeFirstId },
}

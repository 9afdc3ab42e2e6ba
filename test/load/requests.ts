import { randomUUID } from 'node:crypto'
import type { Request } from 'autocannon'
import type { OperationId } from '../../shared/contract.ts'
import type { Ledger } from './ledger.ts'

/** A request below the base address, and what it calls. */
export type Asked = { operation: OperationId; path: string } & Pick<Request, 'method' | 'headers' | 'body'>

// One more limit than statuses, so that each status meets each limit.
const STATUSES = ['available', 'pending', 'sold', undefined]
const LIMITS = [1, 20, undefined, 50, 100]

/** The requests of a run, without end: of twenty, 16 are lists, 3 creates and 1 a read, of what was created before. */
export function* requestsOf(ledger: Ledger): Generator<Asked, never> {
  let lists = 0
  for (let turn = 0; ; turn++) {
    const pet = ledger.created[turn % ledger.created.length] // At the very start, there is none.
    if ([0, 7, 13].includes(turn % 20)) yield create(ledger)
    else if (turn % 20 === 10 && pet) yield { operation: 'getPet', method: 'GET', path: `/pets/${pet.id}` }
    else yield list(ledger, lists++)
  }
}

const create = ({ sent }: Ledger): Asked => {
  const nth = sent.size
  const pet = { name: `Pet ${nth}`, categoryId: nth, status: STATUSES[nth % STATUSES.length] }
  sent.add(pet.name)
  // A third of them take the longer way, by a reservation.
  const headers = nth % 3 === 0 ? { 'Idempotency-Key': randomUUID() } : {}
  return { operation: 'createPet', method: 'POST', path: '/pets', headers, body: JSON.stringify(pet) }
}

const list = ({ links }: Ledger, nth: number): Asked => {
  const link = nth % 7 === 6 ? links.shift() : undefined
  const query = { status: STATUSES[nth % STATUSES.length], limit: LIMITS[nth % LIMITS.length] }
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`))
  return { operation: 'listPets', method: 'GET', path: link ?? `/pets?${given.join('&')}` }
}

import { randomUUID } from 'node:crypto'
import type { Request } from 'autocannon'
import type { OperationId } from '../../shared/contract.ts'
import type { Pet } from '../infra/local/catalogue.ts'

/** What a run sent and received. */
export type Ledger = {
  /** The names of the pets that were sent, each of them once. */
  sent: Set<string>
  /** The pets of all 201s. */
  created: Pet[]
  /** The number of responses by operation and status: `createPet 201`. */
  responses: Map<string, number>
  /** Paths of next pages that were not requested yet. */
  links: string[]
}

export const newLedger = (): Ledger => ({ sent: new Set(), created: [], responses: new Map(), links: [] })

const MOST_LINKS = 100

/** Records a response to an operation; `link` is its `Link` header. */
export const record = (ledger: Ledger, operation: OperationId, status: number, body: string, link = ''): void => {
  const kind = `${operation} ${status}`
  ledger.responses.set(kind, (ledger.responses.get(kind) ?? 0) + 1)
  if (kind === 'createPet 201') ledger.created.push(JSON.parse(body))
  const next = /\/v1(\/[^>]+)>; rel="next"/.exec(link)?.[1]
  if (next && ledger.links.length < MOST_LINKS) ledger.links.push(next)
}

/** A request of an operation; `path` is below the base address. */
export type LoadRequest = { operation: OperationId; path: string } & Pick<Request, 'method' | 'headers' | 'body'>

// Their lengths have no common divisor, so that each status meets each limit.
const STATUSES = ['available', 'pending', 'sold', undefined]
const LIMITS = [1, 20, undefined, 50, 100]

/** The endless requests of a run: of twenty, 16 are lists, 3 are creates, and 1 reads a pet that was created. */
export function* requestsOf(ledger: Ledger): Generator<LoadRequest, never> {
  let lists = 0
  for (let turn = 0; ; turn++) {
    const pet = ledger.created[turn % ledger.created.length] // None at the very start.
    if ([0, 7, 13].includes(turn % 20)) yield create(ledger)
    else if (turn % 20 === 10 && pet) yield { operation: 'getPet', method: 'GET', path: `/pets/${pet.id}` }
    else yield list(ledger, lists++)
  }
}

const create = ({ sent }: Ledger): LoadRequest => {
  const nth = sent.size
  const pet = { name: `Pet ${nth}`, categoryId: nth, status: STATUSES[nth % STATUSES.length] }
  sent.add(pet.name)
  // A third of them use an idempotency key, which takes more writes.
  const headers = nth % 3 === 0 ? { 'Idempotency-Key': randomUUID() } : {}
  return { operation: 'createPet', method: 'POST', path: '/pets', headers, body: JSON.stringify(pet) }
}

const list = ({ links }: Ledger, nth: number): LoadRequest => {
  const link = nth % 7 === 6 ? links.shift() : undefined
  const query = { status: STATUSES[nth % STATUSES.length], limit: LIMITS[nth % LIMITS.length] }
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`))
  return { operation: 'listPets', method: 'GET', path: link ?? `/pets?${given.join('&')}` }
}

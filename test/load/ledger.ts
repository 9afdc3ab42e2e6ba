import type { OperationId } from '../../shared/contract.ts'
import type { Pet } from '../infra/local/catalogue.ts'

/** What a run asked for and what was answered. */
export type Ledger = {
  /** The names of the pets that were sent; none is sent twice. */
  sent: Set<string>
  /** The pets of each 201. */
  created: Pet[]
  /** How many answers came, by operation and status: `createPet 201`. */
  answers: Map<string, number>
  /** The paths of next pages that nobody has gone to yet. */
  links: string[]
}

/** An answer of the API, as far as it is looked at. */
export type Answer = { operation: OperationId; status: number; body: string; link: string }

const MOST_LINKS = 100

/** Where nothing was sent yet. */
export const newLedger = (): Ledger => ({ sent: new Set(), created: [], answers: new Map(), links: [] })

/** Writes an answer down. */
export const record = ({ answers, created, links }: Ledger, { operation, status, body, link }: Answer): void => {
  const kind = `${operation} ${status}`
  answers.set(kind, (answers.get(kind) ?? 0) + 1)
  if (kind === 'createPet 201') created.push(JSON.parse(body))
  const next = /\/v1(\/[^>]+)>; rel="next"/.exec(link)?.[1]
  if (next && links.length < MOST_LINKS) links.push(next)
}

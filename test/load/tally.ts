import { isDeepStrictEqual } from 'node:util'
import type { Pet } from '../infra/local/catalogue.ts'
import type { Ledger } from './ledger.ts'

/** What became of the pets of a run. */
export type Tally = {
  created: number
  found: number
  /** Answered with a 201, and not found as they were answered. */
  lost: Pet[]
  /** Found, although their id or their name was found before. */
  doubled: Pet[]
  /** Found, although nobody sent them. */
  unasked: Pet[]
  /** Found without a 201: the connection was closed before it came. */
  unanswered: number
}

/** Holds what was sent and answered against a walk through the whole catalogue. */
export const tallyOf = ({ sent, created }: Pick<Ledger, 'sent' | 'created'>, found: Pet[]): Tally => {
  const byId = new Map(found.map((pet) => [pet.id, pet]))
  const answered = new Set(created.map(({ name }) => name))
  const seen = new Set<number | string>()
  const isRepeated = ({ id, name }: Pet): boolean => {
    const known = seen.size
    return seen.add(id).add(name).size < known + 2
  }
  return {
    created: created.length,
    found: found.length,
    lost: created.filter((pet) => !isDeepStrictEqual(byId.get(pet.id), pet)),
    doubled: found.filter(isRepeated),
    unasked: found.filter(({ name }) => !sent.has(name)),
    unanswered: found.filter(({ name }) => sent.has(name) && !answered.has(name)).length,
  }
}

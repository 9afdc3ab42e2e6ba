import { statusShard, statusShards } from '../../../shared/data/pets.ts'
import { newPetId, PetStatus } from '../../../shared/model/pet.ts'
import { Keyspace } from './keyspace.ts'
import { positionOf } from './position.ts'
import type { Request } from './request.ts'

/** What clients ask for, all day long, and of which tables and indexes. */
export type Traffic = {
  keyspaces: Keyspace[]
  /** How many different requests stand for all that are sent in a second. */
  samples: number
  /** @param now milliseconds since 1970 */
  request: (now: number, sample: number) => Request
}

/** Whose pets: those of one status, or all, those without one included. */
export type Whose = 'one status' | 'all'

/** Creates. Each writes to the table, and to one shard of the index. */
export const creates = (whose: Whose, quota: number): Traffic => {
  const [table, index] = [new Keyspace(quota), new Keyspace(quota)]
  const statuses = whose === 'all' ? [...PetStatus.options, undefined] : [STATUS]
  const write = { kind: 'write', units: 1 } as const
  return {
    keyspaces: [table, index],
    samples: 48 + 2 * shardsOf(whose).length,
    request: (now, sample) => {
      const id = newPetId(now)
      const shard = statusShard(statuses[sample % statuses.length], id)
      return [
        { ...write, keyspace: table, position: positionOf(id) },
        { ...write, keyspace: index, position: positionOf(shard, id) },
      ]
    },
  }
}

/** First pages of 20. Each asks every shard for its newest 21 pets, which are less than 4 KB: half a unit. */
export const firstPages = (whose: Whose, quota: number): Traffic => {
  const index = new Keyspace(quota)
  const newest = shardsOf(whose).map((shard) => positionOf(shard, Number.POSITIVE_INFINITY))
  const request: Request = newest.map((position) => ({ keyspace: index, kind: 'read', position, units: 0.5 }))
  return { keyspaces: [index], samples: 1, request: () => request }
}

const STATUS: PetStatus = 'available'

const shardsOf = (whose: Whose): string[] => statusShards(whose === 'all' ? undefined : STATUS)

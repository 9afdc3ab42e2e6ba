import * as v from 'valibot'
import { SafeInteger } from './int64.ts'

/** The id of a resource, as `newId` generates it: an int64 that a `number` holds exactly. */
export const Id = v.pipe(
  SafeInteger,
  v.minValue(1),
  v.metadata({ type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  v.description('a positive integer of at most 53 bits'),
)

/**
 * Generates an id: 41 bits of milliseconds since 2024, then 12 random bits. Every JSON client
 * holds ids exactly (53 bits, until 2093). They sort by creation; those of one process always
 * ascend. Two processes may generate the same id, so the caller must check that it is free.
 */
export const newId = (now = Date.now()): number => {
  // Plain arithmetic, because the shift operators truncate to 32 bits.
  const candidate =
    (now - ID_EPOCH) * IDS_PER_MILLISECOND + Math.floor(Math.random() * IDS_PER_MILLISECOND)
  lastId = Math.max(candidate, lastId + 1)
  return lastId
}

const ID_EPOCH = Date.UTC(2024, 0, 1)
const IDS_PER_MILLISECOND = 4096
let lastId = 0

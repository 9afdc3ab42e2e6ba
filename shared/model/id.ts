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
 * Generates an id: 41 bits of milliseconds since 2024, then 12 random bits. They sort by creation;
 * those of one process always ascend. Two processes may generate the same id, so the caller must
 * check that it is free. Throws an Error from 2093 on, when ids no longer fit into a `number`.
 */
export const newId = (now = Date.now()): number => {
  const random = Math.floor(Math.random() * IDS_PER_MILLISECOND)
  // Plain arithmetic, because the shift operators truncate to 32 bits.
  const candidate = (now - ID_EPOCH) * IDS_PER_MILLISECOND + random
  const id = Math.max(candidate, lastId + 1)
  // If it were kept, every later id would be invalid, too.
  if (!Number.isSafeInteger(id))
    throw new Error(
      `The clock is wrong: at ${new Date(now).toISOString()}, ids have more than 53 bits.`,
    )
  lastId = id
  return id
}

const ID_EPOCH = Date.UTC(2024, 0, 1)
const IDS_PER_MILLISECOND = 4096
let lastId = 0

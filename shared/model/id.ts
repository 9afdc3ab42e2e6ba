import * as v from 'valibot'
import { mustBe } from './fields.ts'
import { SafeInteger } from './int64.ts'

/** The id of a resource, as `newId` generates it: an int64 that a `number` holds exactly. */
export const Id = v.pipe(
  SafeInteger,
  v.minValue(1),
  v.metadata({ type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  mustBe('a positive integer of at most 53 bits'),
)

/**
 * Generates an id: 41 bits of milliseconds since 2024, then 12 random bits. Ids sort by creation;
 * those of one process always ascend. Two processes may generate the same one, so the caller must
 * check that it is free. Throws an Error from 2093 on: an id has at most 53 bits.
 */
export const newId = (now = Date.now()): number => {
  const random = Math.floor(Math.random() * IDS_PER_MILLISECOND)
  // Plain arithmetic, because the shift operators truncate to 32 bits.
  const candidate = (now - ID_EPOCH) * IDS_PER_MILLISECOND + random
  const id = Math.max(candidate, lastId + 1)
  // `lastId` stays as it was. Otherwise, one wrong reading of the clock would raise all later ids.
  if (!Number.isSafeInteger(id))
    throw new Error(`Set the clock: it says ${new Date(now).toJSON()}.`)
  lastId = id
  return id
}

const ID_EPOCH = Date.UTC(2024, 0, 1)
const IDS_PER_MILLISECOND = 4096
let lastId = 0

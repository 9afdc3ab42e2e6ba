import { idempotencyKeyReused } from '../model/api-error.ts'
import type { Revised } from '../model/etag.ts'
import { type Intent, intentDigest } from '../model/idempotency-key.ts'
import { exactJson, stringifyJson } from '../model/json.ts'
import type { Key } from './database.ts'
import type { Transaction } from './transaction.ts'

/** How long an idempotency key is valid. DynamoDB deletes expired items up to two days late. */
const VALID_SECONDS = 24 * 60 * 60

const keyOf = (intent: Intent): Key => ({ table: 'idempotencyKeys', value: intentDigest(intent) })

/** The key of what an intent reserves, for a transaction that reads it together with other items; none without an intent. */
export const reservationKeys = (intent?: Intent): Key[] => (intent ? [keyOf(intent)] : [])

/**
 * What an earlier request with this intent has created, as it was returned then; `undefined` if there was none, or it is too
 * long ago. Throws an ApiError 422 if that request was another one.
 */
export const createdFor = async (intent: Intent, tx: Transaction): Promise<Revised<object> | undefined> => {
  const reservation = await tx.read(keyOf(intent))
  if (!reservation || Number(reservation.expiresAt) <= now()) return undefined
  if (reservation.request !== intent.request) throw idempotencyKeyReused()
  const text = `${reservation.created}`
  const resource = exactJson(text, JSON.parse(text)) as object // As `reserve` wrote it.
  return { resource, revision: reservation.revision }
}

/**
 * Reserves an intent in the transaction that creates a resource for it. The reservation has a copy of the resource, as text:
 * a map of DynamoDB would lose the order of its fields. So a replay follows from nothing that may have changed since.
 */
export const reserve = (intent: Intent, resource: object, tx: Transaction): void => {
  const { value, table } = keyOf(intent)
  const { request } = intent
  tx.put(
    { table, value },
    { intent: value, request, created: stringifyJson(resource), expiresAt: now() + VALID_SECONDS },
  )
}

const now = (): number => Math.floor(Date.now() / 1000)

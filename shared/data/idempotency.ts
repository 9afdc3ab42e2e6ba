import { idempotencyKeyReused } from '../model/api-error.ts'
import { isExpired, secondsFromNow } from '../model/expiry.ts'
import { digestOfKey, type IdempotentRequest } from '../model/idempotency-key.ts'
import type { Transaction } from './transaction.ts'
import type { Item, Key } from './transaction-store.ts'

/** A response as it is stored. Its location is a path below the base address. */
export type StoredResponse = {
  status: number
  body: string
  etag?: string | undefined
  location?: string | undefined
}

const VALID_SECONDS = 24 * 60 * 60

/**
 * The stored response to an earlier request with this idempotency key; `undefined` if there is
 * none. Throws an ApiError 422 if that was another request.
 */
export const storedResponse = async (
  tx: Transaction,
  sent: IdempotentRequest,
): Promise<StoredResponse | undefined> => {
  const record = await tx.read(recordKey(sent))
  if (!record || isExpired(record.expiresAt)) return undefined
  if (record.request !== sent.request) throw idempotencyKeyReused()
  const { status, body, etag, location } = record as Item & StoredResponse // From `saveRecord`.
  return { status, body, etag, location }
}

/** Saves the response to a request with an idempotency key, for its retries. */
export const saveRecord = (
  tx: Transaction,
  sent: IdempotentRequest,
  { status, body, etag, location }: StoredResponse,
): void => {
  const expiresAt = secondsFromNow(VALID_SECONDS)
  const { request } = sent
  tx.put(recordKey(sent), { request, status, body, etag, location, expiresAt })
}

/** The key of the idempotency record of a request. */
export const recordKey = (sent: IdempotentRequest): Key => ({
  table: 'idempotencyKeys',
  value: digestOfKey(sent),
})

import { randomBytes } from 'node:crypto'
import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { digestOf, type KeyPrefix, newApiKey } from '../../shared/model/api-key.ts'

/** A new key: what its holder gets, once, and what is stored of it. */
export type NewKey = { text: string; stored: StoredApiKey }

/** Whom a new key is for (a client keeps its `clientId` when its key is rotated), and for how many seconds. */
export type KeyRequest = { name: string; clientId?: string; expiresIn?: number | undefined }

/** Makes a key. It is good for nothing until it is stored. */
export const newKey = (prefix: KeyPrefix, { name, clientId = newId('client'), expiresIn }: KeyRequest): NewKey => {
  const text = newApiKey(prefix)
  const createdAt = new Date()
  const stored = { digest: digestOf(text), keyId: newId('key'), clientId, name, createdAt: createdAt.toISOString() }
  return {
    text,
    stored: expiresIn === undefined ? stored : { ...stored, expiresAt: secondsAfter(createdAt, expiresIn) },
  }
}

/** The end of a time span, in whole seconds since 1970. */
export const secondsAfter = (start: Date, seconds: number): number => Math.floor(start.getTime() / 1000) + seconds

// 64 random bits. An id is no secret: it only has to be nobody else's.
const newId = (kind: 'key' | 'client'): string => `${kind}_${randomBytes(8).toString('hex')}`

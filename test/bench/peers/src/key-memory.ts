import { createHash } from 'node:crypto'

const REMEMBERED_MS = 60_000
const remembered = new Map<string, number>()

/** Whether a header `Authorization` has an API key that `read` finds by its digest, now or in the last minute. */
export const isKnown = async (header: string | undefined, read: (digest: string) => Promise<unknown>) => {
  const [, key] = /^Bearer (\S+)$/.exec(header ?? '') ?? []
  if (!key) return false
  const digest = createHash('sha256').update(key).digest('hex')
  const readAt = remembered.get(digest) ?? Number.NEGATIVE_INFINITY
  if (Date.now() - readAt < REMEMBERED_MS) return true
  const isFound = (await read(digest)) !== undefined
  if (isFound) remembered.set(digest, Date.now())
  return isFound
}

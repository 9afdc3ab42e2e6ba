/** The `expiresAt` of an item that is valid for this many seconds: in whole seconds since 1970. */
export const secondsFromNow = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

/** Whether `expiresAt` has passed at `now`, in milliseconds. A damaged value counts as expired. */
export const isExpired = (expiresAt: unknown, now = Date.now()): boolean =>
  expiresAt !== undefined && !(typeof expiresAt === 'number' && expiresAt > now / 1000)

const SOON_SECONDS = 14 * 24 * 60 * 60

/** When something ends that ends within two weeks, as ISO 8601; `undefined` for anything else. */
export const soonEnd = (expiresAt: unknown): string | undefined =>
  typeof expiresAt === 'number' && expiresAt < secondsFromNow(SOON_SECONDS)
    ? new Date(expiresAt * 1000).toJSON()
    : undefined

/** The `expiresAt` of an item that is valid for so long: in whole seconds since 1970. */
export const secondsFromNow = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

/** Whether `expiresAt` has passed at `now`, in milliseconds. A damaged value counts as expired. */
export const isExpired = (expiresAt: unknown, now = Date.now()): boolean =>
  expiresAt !== undefined && !(typeof expiresAt === 'number' && expiresAt > now / 1000)

/** When something ends that is valid for a time: its `expiresAt`, in whole seconds since 1970. */
export const secondsFromNow = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

/**
 * Whether `expiresAt` has passed; a damaged value counts as such. DynamoDB deletes expired items up
 * to two days late.
 */
export const isExpired = (expiresAt: unknown): boolean =>
  expiresAt !== undefined && !(typeof expiresAt === 'number' && expiresAt > Date.now() / 1000)

/**
 * Freezes a value with all that it holds, and returns it. A change of it throws a TypeError from
 * then on.
 */
export const frozen = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}

/** Freezes a value at any depth, except bytes, and returns it. A change then throws a TypeError. */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (ArrayBuffer.isView(value)) return value // JavaScript cannot freeze bytes.
  for (const part of Object.values(value)) deepFreeze(part)
  return Object.freeze(value)
}

/** All that an async iterable gives. (`Array.fromAsync` is not known to TypeScript's es2024.) */
export const allOf = async <T>(values: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const value of values) all.push(value)
  return all
}

import fc from 'fast-check'

/** One value in so many is of the arbitrary; the others are absent. */
export const oneIn = <T>(many: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: many - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

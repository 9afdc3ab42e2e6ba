/** Runs something that draws with `Math.random`, as new ids do, so that it draws the same each time. */
export const withSeed = <Result>(seed: number, run: () => Result): Result => {
  const { random } = Math
  Math.random = mulberry32(seed)
  try {
    return run()
  } finally {
    Math.random = random
  }
}

const mulberry32 = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0
  const once = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  const twice = (once + Math.imul(once ^ (once >>> 7), 61 | once)) ^ once
  return ((twice ^ (twice >>> 14)) >>> 0) / 2 ** 32
}

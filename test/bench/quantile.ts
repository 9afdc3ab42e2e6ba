/** The middle one of some numbers, or the one that lies at another part of their order: 0.99 for p99. */
export const quantile = (numbers: number[], part: number): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

export const median = (numbers: number[]): number => quantile(numbers, 0.5)

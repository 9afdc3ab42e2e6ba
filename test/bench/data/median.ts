/** The middle one of these numbers, or the mean of the two in the middle. */
export const median = (numbers: number[]): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1)
  return middle.reduce((sum, each) => sum + each, 0) / middle.length
}

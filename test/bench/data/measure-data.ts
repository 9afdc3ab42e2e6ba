import { makeBundles } from '../../support/bundles.ts'
import type { Figure } from '../figure.ts'
import { countCalls } from './count-calls.ts'
import { timePages } from './time-pages.ts'

/** Measures what requests cost of the database, and how long a page takes in catalogues of several sizes. */
export const measureData = async (): Promise<Figure[]> => {
  const bundles = makeBundles()
  const costs = await countCalls(bundles)
  return [...costs, ...(await timePages(bundles, { sizes: [100, 10_000, 200_000], rounds: 400 }))]
}

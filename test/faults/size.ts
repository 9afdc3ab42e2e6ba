/** Whether these tests make all the faults that they can (`npm run test:faults`), or a part of them (`npm test`). */
export const isWhole = process.env.FAULTS === 'all'

/** What chance is made of: the same seed, the same tests. */
export const seed = Number(process.env.SEED || 20261120)

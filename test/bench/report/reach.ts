import type { Figure } from '../figure.ts'
import { type Find, goals } from './goals.ts'

/** How far a figure is from what it is to be. */
export type Reach = {
  figure: string
  /** Absent where it was not measured. */
  measured?: number
  atMost: number
  aim?: number
  result: 'aim reached' | 'reached' | 'not reached' | 'not measured'
}

/** Compares what was measured with what is to be reached. */
export const reachOf = (figures: Figure[]): Reach[] => {
  const find: Find = (table, of, name) =>
    figures.find((figure) => figure.table === table && figure.of === of && figure.name === name)?.value ?? Number.NaN
  return goals.map(({ measure, ...goal }) => {
    const measured = measure(find)
    return Number.isNaN(measured)
      ? { ...goal, result: 'not measured' }
      : { ...goal, measured, result: resultOf(measured, goal) }
  })
}

const resultOf = (measured: number, { atMost, aim }: Pick<Reach, 'atMost' | 'aim'>): Reach['result'] => {
  if (measured > atMost) return 'not reached'
  return aim !== undefined && measured <= aim ? 'aim reached' : 'reached'
}

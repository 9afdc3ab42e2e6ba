import type { Figure } from '../figure.ts'

const exact: Figure['unit'][] = ['KB', 'calls', 'units']

/** Whether a figure is the same in every run: sizes and counts are, times are not. */
export const isExact = ({ unit }: Pick<Figure, 'unit'>): boolean => exact.includes(unit)

/** The value of a figure, to be read: in no more digits than it is good for. */
export const valueText = ({ unit, value }: Pick<Figure, 'unit' | 'value'>): string =>
  value.toLocaleString('en', isExact({ unit }) ? { maximumFractionDigits: 1 } : { maximumSignificantDigits: 3 })

import * as v from 'valibot'
import { AnyText } from './text.ts'

/**
 * A moment in UTC, always to the millisecond, so that the same moment is the same text:
 * `2026-11-20T12:00:00.000Z`.
 */
export const Timestamp = v.pipe(
  AnyText,
  v.check((text) => isTimestamp(text)),
  // Not the format `date-time`: generated clients would send its other forms.
  v.metadata({
    type: 'string',
    maxLength: 24,
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
  }),
  v.description('a time in UTC such as 2026-11-20T12:00:00.000Z'),
)

/** A day of the calendar: `2026-11-20`. */
export const CalendarDate = v.pipe(
  AnyText,
  v.check((text) => isTimestamp(`${text}T00:00:00.000Z`)),
  v.metadata({ type: 'string', format: 'date', maxLength: 10 }),
  v.description('a date such as 2026-11-20'),
)

// `Date` accepts other forms, the 31st of each month, and years of six digits.
const isTimestamp = (text: string): boolean => {
  const time = Date.parse(text)
  return text.length === 24 && !Number.isNaN(time) && new Date(time).toISOString() === text
}

import * as v from 'valibot'

/** A moment in UTC, always to the millisecond, so that the same moment is the same text: `2026-11-20T12:00:00.000Z`. */
export const Timestamp = v.pipe(
  v.string(),
  v.check((text) => isTimestamp(text)),
  v.metadata({ type: 'string', format: 'date-time', maxLength: 24 }),
  v.description('a time in UTC such as 2026-11-20T12:00:00.000Z'),
)

/** A day of the calendar: `2026-11-20`. */
export const CalendarDate = v.pipe(
  v.string(),
  v.check((text) => isTimestamp(`${text}T00:00:00.000Z`)),
  v.metadata({ type: 'string', format: 'date', maxLength: 10 }),
  v.description('a date such as 2026-11-20'),
)

// `Date` accepts other forms, and the 31st of each month.
const isTimestamp = (text: string): boolean => {
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString() === text
}

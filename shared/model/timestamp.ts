import * as v from 'valibot'
import { mustBe } from './fields.ts'

/** A text of this form that is on the calendar: 30 February is not. */
const calendarText = (form: RegExp, format: string, rule: string) =>
  v.pipe(
    v.string(),
    v.regex(form),
    v.check((text) => new Date(text).toJSON()?.startsWith(text.replace('Z', ''))),
    v.metadata({ type: 'string', format, maxLength: 20 }),
    mustBe(rule),
  )

/** A time in RFC 3339: UTC, in whole seconds. Texts of this form sort by time. */
export const Timestamp = calendarText(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  'date-time',
  'a time in UTC, such as 2026-11-20T14:07:12Z',
)

/** A day in RFC 3339. */
export const Day = calendarText(/^\d{4}-\d\d-\d\d$/, 'date', 'a day, such as 2026-11-20')

/** The current time as a Timestamp. */
export const now = (): string => new Date().toISOString().replace(/\.\d+/, '')

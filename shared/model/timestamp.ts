import * as v from 'valibot'
import { mustBe } from './fields.ts'

const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

/** A time in RFC 3339: UTC, in whole seconds. Texts of this form sort by time. */
export const Timestamp = v.pipe(
  v.string(),
  v.regex(FORM),
  v.metadata({ type: 'string', format: 'date-time', maxLength: 20 }),
  mustBe('a time in UTC, such as 2026-11-20T14:07:12Z'),
)

/** The current time as a Timestamp. */
export const now = (): string => new Date().toISOString().replace(/\.\d+/, '')

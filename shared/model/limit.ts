import * as v from 'valibot'
import { takes } from './takes.ts'

/** How many animals a page may have at most. */
export const MAX_LIMIT = 100

/** How many animals a page may have (interface, section 8), as it stands in a query. */
export const Limit = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d*$/),
  v.transform(Number),
  v.maxValue(MAX_LIMIT),
  takes(`an integer from 1 to ${MAX_LIMIT}`),
)

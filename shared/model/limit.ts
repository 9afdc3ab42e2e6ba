import * as v from 'valibot'
import { takes } from './takes.ts'

const MAX = 100

/** How many animals a page may have (interface, section 8), as it stands in a query. */
export const Limit = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d*$/),
  v.transform(Number),
  v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX)),
  takes(`an integer from 1 to ${MAX}`),
)

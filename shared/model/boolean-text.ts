import * as v from 'valibot'
import { mustBe } from './fields.ts'

/** A boolean in a query, where everything is text. */
export const BooleanText = v.pipe(
  v.picklist(['true', 'false']),
  v.transform((text) => text === 'true'),
  v.metadata({ type: 'boolean' }),
  mustBe('true or false'),
)

import * as v from 'valibot'
import { mustBe } from './fields.ts'

/**
 * A text of 1 to `max` characters (code points), at least one of which is not white space. One with
 * a lone surrogate or U+FFFD is invalid, because it lost a part before it arrived here.
 */
export const Text = (max: number) =>
  v.pipe(
    v.string(),
    v.check((text) => text.isWellFormed() && !text.includes('\uFFFD')),
    v.regex(new RegExp(`^.{1,${max}}$`, 'su')), // The flag u counts code points.
    v.regex(/\S/),
    v.metadata({
      type: 'string',
      maxLength: max,
      pattern: '^[^\\uFFFD]*[^\\s\\uFEFF\\uFFFD][^\\uFFFD]*$',
    }),
    mustBe(`a string of 1 to ${max} characters, not only white space, in valid Unicode`),
  )

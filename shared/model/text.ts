import * as v from 'valibot'

/**
 * A text of 1 to `max` characters (code points), at least one of which is not white space. A text with a lone surrogate or
 * U+FFFD is invalid, because it lost a part before it arrived here.
 */
export const Text = (max: number) =>
  v.pipe(
    v.string(),
    v.check((text) => /\S/.test(text) && codePoints(text, max) <= max),
    v.check((text) => text.isWellFormed() && !text.includes('\uFFFD')),
    v.metadata({ type: 'string', maxLength: max, pattern: '^[^\\uFFFD]*[^\\s\\uFEFF\\uFFFD][^\\uFFFD]*$' }),
    v.description(`a string of 1 to ${max} characters, not only white space, in valid Unicode`),
  )

// A character takes at most two units, so a longer text need not be counted.
const codePoints = (text: string, max: number): number => (text.length > 2 * max ? text.length : [...text].length)

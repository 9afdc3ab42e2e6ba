import * as v from 'valibot'

/**
 * What the kinds of texts start with. A text with a lone surrogate or U+FFFD is invalid, because it
 * lost a part before it arrived here.
 */
export const AnyText = v.pipe(
  v.string(),
  v.check((text) => text.isWellFormed() && !text.includes('\uFFFD')),
)

/** A text of 1 to `max` characters (code points), at least one of which is not white space. */
export const Text = (max: number) =>
  v.pipe(
    AnyText,
    v.regex(new RegExp(`^.{1,${max}}$`, 'su')), // The flag u counts code points.
    v.regex(/\S/),
    v.metadata({
      type: 'string',
      maxLength: max,
      pattern: '^[^\\uFFFD]*[^\\s\\uFEFF\\uFFFD][^\\uFFFD]*$',
    }),
    v.description(`a string of 1 to ${max} characters, not only white space, in valid Unicode`),
  )

/** A list of at most `most` texts, each as `Text(max)`. */
export const TextList = (most: number, max: number) =>
  v.pipe(
    v.array(Text(max)),
    v.maxLength(most),
    v.description(`a list of at most ${most} texts of 1 to ${max} characters`),
  )

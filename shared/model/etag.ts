import * as v from 'valibot'
import { mustBe } from './fields.ts'
import type { Int64 } from './int64.ts'

// RFC 9110: an entity tag (section 8.8.3), and a list of 1 to 10 of them (section 5.6.1).
const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`
const COMMA = String.raw`[ \t]*,[ \t,]*`
const LIST = String.raw`[ \t,]*${TAG}(?:${COMMA}${TAG}){0,9}[ \t,]*`
const FORM = new RegExp(String.raw`^(?:\*|${LIST})$`)

/** A resource as it is stored: with its revision, which no schema of a response has. */
export type WithRevision<Resource> = Resource & { revision: string }

/** The entity tag of a revision of the resource with this id, without its quotes. */
export const etagOf = (id: Int64, revision: string): string => `${id}-${revision}`

/** An `ETag` of this service. */
export const EXAMPLE_ETAG = '"373212905455903-0b1c2d3e-4f50-4172-8394-a5b6c7d8e9fa"'

/**
 * The header `If-Match` (RFC 9110, section 13.1.1) as tags; `*` for any. A weak tag matches
 * nothing, because `If-Match` compares strongly.
 */
export const IfMatch = v.pipe(
  v.string(),
  v.regex(FORM),
  v.transform((text): string[] | '*' => (text === '*' ? text : tagsOfList(text))),
  v.metadata({ type: 'string', pattern: FORM.source }),
  mustBe(`* or a list of 1 to 10 entity tags in double quotes, such as ${EXAMPLE_ETAG}`),
)
export type IfMatch = v.InferOutput<typeof IfMatch>

const tagsOfList = (list: string): string[] => {
  const tags = list.match(new RegExp(TAG, 'g')) ?? []
  return tags.map((tag) => (tag.startsWith('W/') ? tag : tag.slice(1, -1)))
}

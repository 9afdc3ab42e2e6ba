import * as v from 'valibot'
import { crc32 } from './crc32.ts'
import { mustBe } from './fields.ts'

const ID_BYTES = 8
const CURSOR_TEXT = /^[\w-]{16}$/

/** The cursor of the page after `lastId`: opaque to clients, valid with any filter and limit. */
export const cursorAfter = (lastId: number): string => {
  const id = Buffer.alloc(ID_BYTES)
  id.writeBigUInt64BE(BigInt(lastId))
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(id))
  return Buffer.concat([id, checksum]).toString('base64url')
}

/** A cursor from a client, parsed into the id below which the page starts. */
export const Cursor = v.pipe(
  v.string(),
  v.examples(['AAFTb2anwR_PvkbY']), // That of the id 373212905455903.
  v.regex(CURSOR_TEXT),
  v.transform((text) => Buffer.from(text, 'base64url')),
  // The checksum detects a cursor that was truncated or altered.
  v.check((bytes) => crc32(bytes.subarray(0, ID_BYTES)) === bytes.readUInt32BE(ID_BYTES)),
  v.transform((bytes) => Number(bytes.readBigUInt64BE())),
  v.safeInteger(),
  v.metadata({ type: 'string', maxLength: 16, pattern: CURSOR_TEXT.source }),
  mustBe('the cursor from a Link header, unchanged'),
)

/** The most items on a page. */
const MAX_LIMIT = 100

/** The size of a page, as text in the query. */
export const Limit = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d*$/),
  v.transform(Number),
  v.maxValue(MAX_LIMIT),
  v.metadata({ type: 'integer', format: 'int32', minimum: 1, maximum: MAX_LIMIT }),
  mustBe(`an integer from 1 to ${MAX_LIMIT}`),
)

/** The filters of a list. It takes one at a time, because each has an index of its own. */
export const filtersOf = <Fields extends v.ObjectEntries>(fields: Fields) =>
  v.pipe(
    v.object(fields),
    v.check(
      (filters) => Object.values(filters).filter((value) => value !== undefined).length <= 1,
      `The query must have at most one of ${Object.keys(fields).join(', ')}`,
    ),
  )

/** A page of items. */
export const listOf = <Item extends v.GenericSchema>(item: Item) =>
  v.pipe(v.array(item), v.maxLength(MAX_LIMIT))

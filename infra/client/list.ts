import { PetStoreError } from './pet-store-error.ts'
import type { Send } from './send.ts'

/** The items of all pages. The next page is requested when the one before has been read. */
export type List<Item> = AsyncIterable<Item> & {
  /** The same items, page by page. */
  pages: () => AsyncIterable<Page<Item>>
  /** All items, or the first `max`. */
  toArray: (limit?: { max?: number | undefined }) => Promise<Item[]>
}

/** A page of a list. As `cursor` of another call, `nextCursor` continues the list; the last page has none. */
export type Page<Item> = { items: Item[]; nextCursor: string | undefined }

/** The list whose pages `call` requests: the first one, or the one at a cursor. */
export const listOf = (call: (next?: { cursor: string }) => ReturnType<Send>): List<unknown> => {
  async function* pages(): AsyncGenerator<Page<unknown>> {
    let cursor: string | undefined
    do {
      const { body, headers } = await call(cursor === undefined ? undefined : { cursor })
      const items = body as unknown[] // `send` has checked that it is an array.
      const nextCursor = nextCursorOf(headers)
      // Such a page may be the same for ever.
      if (nextCursor !== undefined && (nextCursor === cursor || items.length === 0)) throw invalidLink()
      cursor = nextCursor
      yield { items, nextCursor }
    } while (cursor !== undefined)
  }
  async function* items(): AsyncGenerator<unknown> {
    for await (const page of pages()) yield* page.items
  }
  const toArray = async ({ max = Number.POSITIVE_INFINITY }: { max?: number | undefined } = {}): Promise<unknown[]> => {
    const first: unknown[] = []
    if (max > 0) for await (const item of items()) if (first.push(item) >= max) break
    return first
  }
  return { pages, toArray, [Symbol.asyncIterator]: items }
}

// From a `Link` header (RFC 8288), in whose addresses the service encodes commas. Only the cursor of the address is used, so
// that the API key is sent to the base address only.
const nextCursorOf = (headers: Headers): string | undefined => {
  const links = (headers.get('Link') ?? '').split(',').map((link) => link.split('>'))
  const next = links.find(([, parameters = '']) => /;\s*rel="?next\b/.test(parameters))
  if (!next) return undefined
  const cursor = new URLSearchParams(next[0]?.split('?')[1]).get('cursor')
  if (!cursor || cursor.includes('\uFFFD')) throw invalidLink() // Bytes that are no UTF-8 become U+FFFD.
  return cursor
}

const invalidLink = () =>
  new PetStoreError('The link to the next page is invalid. Check baseUrl and any proxy.', {
    code: 'unexpected_answer',
    status: 200,
  })

import { type Operations, operationRoutes } from './operations.ts'
import type { ClientOptions } from './options.ts'
import {
  type ConditionalOptions,
  type KeyedOptions,
  newRequest,
  type Paged,
  type Route,
} from './request.ts'
import { ServiceError } from './response.ts'
import { type CallOptions, type Send, type SuccessResponse, sender } from './send.ts'

// The package exports what this file exports.
export { stringifyJson } from './exact-json.ts'
export type * from './operations.ts'
export type { ClientOptions } from './options.ts'
export type { ConditionalOptions, KeyedOptions, Paged } from './request.ts'
export type { CallOptions } from './send.ts'
export { ServiceError }

/** A method for each operation, by operationId. A call that fails throws a ServiceError. */
export type Client = { [Id in keyof Operations]: ClientMethod<Operations[Id]> }

/** The tag of what a call has returned, for `ifMatch`. Throws a TypeError for anything else. */
export const etagOf = (result: object): string => {
  const etag = etags.get(result)
  if (etag === undefined)
    throw new TypeError('This has no tag: it is an item of a list, or a copy of a result.')
  return etag
}

/** The items of all pages. The next page is requested when the one before has been read. */
export type List<Item> = AsyncIterable<Item> & {
  /** The same items, page by page. */
  pages: () => AsyncIterable<Page<Item>>
  /** All items, or the first `max`. */
  toArray: (limit?: { max?: number | undefined }) => Promise<Item[]>
}

/** A page of a list. As `cursor`, `nextCursor` continues the list; the last page has none. */
export type Page<Item> = { items: Item[]; nextCursor: string | undefined }

/** Creates a client. Throws a TypeError for an invalid `baseUrl` or `apiKey`. */
export const createClient = (options: ClientOptions): Client => {
  const send = sender(options)
  const methods = Object.entries(operationRoutes).map(([id, route]) => [
    id,
    clientMethod(route, send),
  ])
  return Object.fromEntries(methods) as Client // Values and types follow from the same contract.
}

type ClientMethod<Operation extends Operations[keyof Operations]> = (
  ...given: object extends Operation['input']
    ? [input?: MethodInput<Operation>, options?: MethodOptions<Operation>]
    : [input: MethodInput<Operation>, options?: MethodOptions<Operation>]
) => Operation extends { paged: true; result: (infer Item)[] }
  ? List<Item>
  : Promise<Operation['result']>

type MethodInput<Operation extends { input: object }> = Operation['input'] &
  (Operation extends { paged: true } ? Paged : object)

type MethodOptions<Operation> = CallOptions &
  (Operation extends { idempotent: true } ? KeyedOptions : object) &
  (Operation extends { conditional: true } ? ConditionalOptions : object)

// Beside the results, so that they have the fields of the service only.
const etags = new WeakMap<object, string>()

const clientMethod =
  (route: Route, send: Send) =>
  (input: object = {}, options: CallOptions & KeyedOptions & ConditionalOptions = {}) => {
    const call: Call = async (next) =>
      send(newRequest(route, { ...input, ...next }, options), options)
    return route.flags.includes('paged') ? pagedList(call) : call().then(tagged)
  }

/** Calls an operation; a list from the page at `cursor` on. */
type Call = (next?: { cursor: string }) => Promise<SuccessResponse>

const tagged = ({ content, headers }: SuccessResponse): unknown => {
  const etag = headers.get('ETag')
  if (etag && content) etags.set(content, etag)
  return content
}

const pagedList = (call: Call): List<unknown> => {
  const pages = () => readPages(call)
  async function* items(): AsyncGenerator<unknown> {
    for await (const page of pages()) yield* page.items
  }
  const toArray = async ({ max = Number.POSITIVE_INFINITY }: { max?: number | undefined } = {}) => {
    const first: unknown[] = []
    if (max <= 0) return first
    for await (const item of items()) {
      first.push(item)
      if (first.length >= max) break
    }
    return first
  }
  return { pages, toArray, [Symbol.asyncIterator]: items }
}

async function* readPages(call: Call): AsyncGenerator<Page<unknown>> {
  const cursors = new Set<string>()
  let page = await readPage(call)
  while (page.nextCursor !== undefined) {
    const cursor = page.nextCursor
    // Such a link may lead to the same pages for ever.
    if (cursor === '' || cursors.has(cursor) || page.items.length === 0)
      throw new ServiceError(INVALID_LINK, { code: 'unexpected_answer', status: 200 })
    cursors.add(cursor)
    yield page
    page = await readPage(call, { cursor })
  }
  yield page
}

const readPage = async (call: Call, next?: { cursor: string }): Promise<Page<unknown>> => {
  const { content, headers } = await call(next)
  // `send` has checked that it is an array.
  return { items: content as unknown[], nextCursor: cursorInLink(headers) }
}

const INVALID_LINK = 'The link to the next page is invalid. Check baseUrl and any proxy.'

// From a `Link` header (RFC 8288); empty if the link has no cursor. The rest of its address
// is ignored, so that the API key is sent to the base address only.
const cursorInLink = (headers: Headers): string | undefined => {
  const next = /<([^<>]*)>; *rel="?next\b/.exec(headers.get('Link') ?? '')
  if (!next) return undefined
  return new URLSearchParams(next[1]?.split('?')[1]).get('cursor') ?? ''
}

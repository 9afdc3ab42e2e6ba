import { randomText, writeJson } from './exact-json.ts'
import type { Int64, ListQuery, NewPet, Pet, Pets, Place } from './interface.ts'
import { type ClientOptions, type Send, sender } from './send.ts'

// This is what the package exports.
export type { Int64, ListQuery, NewPet, Pet, PetStatus, Pets } from './interface.ts'
export { PetStoreError } from './pet-store-error.ts'
export type { ClientOptions } from './send.ts'

/** The pet store, as a program sees it. */
export type Client = { pets: PetOperations }

/** A client of the API at `baseUrl`. It runs in browsers and in Node.js alike, and keeps the API key to itself. */
export const createClient = (options: ClientOptions): Client => ({ pets: petsOf(sender(options)) })

/** `signal` ends a call, whether it sends or waits; the call then throws the signal's reason. */
export type CallOptions = { signal?: AbortSignal | undefined }

/** Pets, newest first, over all pages. A page is asked for when the one before was read to its end. */
export type PetList = AsyncIterable<Pet> & {
  /** The same, page by page. */
  pages: () => AsyncIterable<Pets>
}

/** What can be done with pets. Each throws a PetStoreError where it fails. */
export type PetOperations = {
  /** Lists pets; `limit` is the size of a page. Nothing is sent before the list is read. */
  list: (query?: ListQuery, options?: CallOptions) => PetList
  /**
   * Adds a pet, once, however often that must be tried. With an `idempotencyKey` of your own, it is once also when
   * you call again, with the same pet, within 24 hours.
   */
  create: (newPet: NewPet, options?: CallOptions & { idempotencyKey?: string | undefined }) => Promise<Pet>
  /**
   * Reads one pet.
   * @deprecated The service stops to answer it on 5 December 2030. Use `list`.
   */
  get: (id: Int64, options?: CallOptions) => Promise<Pet>
}

const LIST = { method: 'GET', path: '/pets' } satisfies Place<'listPets'>
const CREATE = { method: 'POST', path: '/pets' } satisfies Place<'createPet'>
const GET = { method: 'GET', path: '/pets/{petId}' } satisfies Place<'getPet'>

/** The operations on pets of one API. */
export const petsOf = (send: Send): PetOperations => ({
  list: (query = {}, { signal } = {}) => {
    const pages = () => pagesOf(send, queryOf(query), signal)
    return { pages, [Symbol.asyncIterator]: () => petsIn(pages()) }
  },
  create: async (newPet, { idempotencyKey, signal } = {}) => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': keyOf(idempotencyKey ?? randomText()) }
    return petIn(await send({ ...CREATE, headers, body: writeJson(newPet), isResult: isPet }, signal))
  },
  get: async (id, { signal } = {}) =>
    petIn(await send({ ...GET, path: GET.path.replace('{petId}', segment(id)), isResult: isPet }, signal)),
})

async function* pagesOf(send: Send, query: string, signal: AbortSignal | undefined): AsyncGenerator<Pets> {
  for (let next: string | undefined = query; next !== undefined; ) {
    const { body, headers } = await send({ ...LIST, path: LIST.path + next, isResult: Array.isArray }, signal)
    yield body as Pets // What the interface says of a 200.
    next = nextPage(headers)
  }
}

async function* petsIn(pages: AsyncIterable<Pets>): AsyncGenerator<Pet> {
  for await (const page of pages) yield* page
}

const petIn = ({ body }: { body: unknown }): Pet => body as Pet // What the interface says of a 200 and of a 201.

const isPet = (body: object): boolean => 'id' in body

const queryOf = (query: ListQuery): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return text && `?${text}`
}

/** An id as a part of a path. What would be no part of it, or lead out of it, becomes a text that is no id. */
const segment = (id: Int64): string => encodeURIComponent(String(id)).replace(/^(?![\w-])/, '%20')

/** A key as a header. What a header cannot hold, or would lose at an end, becomes a text that is no key. */
const keyOf = (idempotencyKey: string): string => (/^[!-~]*$/.test(idempotencyKey) ? idempotencyKey : '"')

/**
 * The query of the next page, from a list's `Link` header (RFC 8288); `undefined` on the last page. The rest of the
 * address is not needed: wherever it may lead, the API key goes to the base address alone.
 */
export const nextPage = (headers: Headers): string | undefined =>
  /<[^>?]*(\?[^>]*)>[^,]*;\s*rel="?next\b/.exec(headers.get('Link') ?? '')?.[1]

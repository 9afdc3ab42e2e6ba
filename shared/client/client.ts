import { randomText, writeJson } from './exact-json.ts'
import type { Int64, ListQuery, NewPet, Pet, Pets, Route } from './interface.ts'
import { type Send, sender } from './send.ts'

// The package exports what this file exports.
export type { Int64, ListQuery, NewPet, Pet, PetStatus, Pets } from './interface.ts'
export { PetStoreError } from './pet-store-error.ts'

/** The API to call, and how to retry. */
export type ClientOptions = {
  /** The base address of the API, such as `https://abcdef1234.execute-api.us-east-1.amazonaws.com/v1`. */
  baseUrl: string
  apiKey: string
  /** How often a request is sent at most, including the first time (default: 5). */
  attempts?: number | undefined
  /** How many seconds a call waits between its attempts at most, in total (default: 30). */
  maxWaitSeconds?: number | undefined
  /** How many seconds an attempt may take (default: 30; API Gateway responds within 29). */
  timeoutSeconds?: number | undefined
  /** Replaces the `fetch` of the platform. */
  fetch?: typeof globalThis.fetch | undefined
}

/** A client of one API. */
export type Client = { pets: PetOperations }

/** Options of a call. When `signal` aborts, the call ends at once and throws the signal's reason. */
export type CallOptions = { signal?: AbortSignal | undefined }

/** A list of pets, newest first, over all pages. The next page is requested when the one before has been read. */
export type PetList = AsyncIterable<Pet> & {
  /** The same pets, page by page. */
  pages: () => AsyncIterable<Pets>
}

/** The operations on pets. They throw a PetStoreError when they fail. */
export type PetOperations = {
  /** Lists pets; `limit` is the size of a page. Sends nothing before the list is read. */
  list: (query?: ListQuery, options?: CallOptions) => PetList
  /**
   * Creates a pet exactly once, whatever the number of attempts. If you pass an `idempotencyKey`, calls with the same
   * key and the same pet create one pet within 24 hours.
   */
  create: (newPet: NewPet, options?: CallOptions & { idempotencyKey?: string | undefined }) => Promise<Pet>
  /**
   * Reads one pet.
   * @deprecated The service removes this operation on 5 December 2030. Use `list`.
   */
  get: (id: Int64, options?: CallOptions) => Promise<Pet>
}

/**
 * Creates a client for browsers and Node.js.
 *
 * @throws TypeError if `baseUrl` is not an HTTP or HTTPS address, or a header cannot hold `apiKey`
 */
export const createClient = ({ fetch = globalThis.fetch, ...options }: ClientOptions): Client => {
  const { attempts = 5, maxWaitSeconds = 30, timeoutSeconds = 30, ...api } = options
  return { pets: petsOf(sender({ ...api, fetch, timeoutSeconds, attempts, maxWaitSeconds })) }
}

const LIST = { method: 'GET', path: '/pets' } satisfies Route<'listPets'>
const CREATE = { method: 'POST', path: '/pets' } satisfies Route<'createPet'>
const GET = { method: 'GET', path: '/pets/{petId}' } satisfies Route<'getPet'>

const petsOf = (send: Send): PetOperations => ({
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
    yield body as Pets // The interface promises this for a 200.
    next = nextPage(headers)
  }
}

async function* petsIn(pages: AsyncIterable<Pets>): AsyncGenerator<Pet> {
  for await (const page of pages) yield* page
}

const petIn = ({ body }: { body: unknown }): Pet => body as Pet // The interface promises this for a 200 and a 201.

const isPet = (body: object): boolean => 'id' in body

const queryOf = (query: ListQuery): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return text && `?${text}`
}

// An id such as `..` or the empty text would address another path. With a space before it, it is an unknown id.
const segment = (id: Int64): string => encodeURIComponent(String(id)).replace(/^(?![\w-])/, '%20')

// A header cannot hold every text, and loses white space at its ends. A single quote mark is a key that the API refuses.
const keyOf = (idempotencyKey: string): string => (/^[!-~]*$/.test(idempotencyKey) ? idempotencyKey : '"')

// The query of the next page from a `Link` header (RFC 8288); `undefined` on the last page. The rest of the address is
// ignored, so that the API key is sent to the base address only.
const nextPage = (headers: Headers): string | undefined =>
  /<[^>?]*(\?[^>]*)>[^,]*;\s*rel="?next\b/.exec(headers.get('Link') ?? '')?.[1]

import { writeJson } from './exact-json.ts'
import type { Int64, ListQuery, Pet, Pets, Place } from './interface.ts'
import { nextPage } from './next-page.ts'
import type { PetOperations } from './pet-operations.ts'
import { randomText } from './random-text.ts'
import type { Send } from './send.ts'

const LIST = { method: 'GET', path: '/pets' } satisfies Place<'listPets'>
const CREATE = { method: 'POST', path: '/pets' } satisfies Place<'createPet'>
const GET = { method: 'GET', path: '/pets/{petId}' } satisfies Place<'getPet'>

/** The operations on animals of one API. */
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

import * as v from 'valibot'
import type { Access } from './data/tables.ts'
import type { Scope } from './model/api-key.ts'
import { Cursor } from './model/cursor.ts'
import { IfMatch } from './model/etag.ts'
import { IdempotencyKey } from './model/idempotency-key.ts'
import { Limit, NewPet, Pet, PetChanges, PetIdText, PetStatus, Pets } from './model/pet.ts'
import type { SettingName } from './settings.ts'

/** An operation of the interface. Its pipeline, deployment, local route, documentation and client are derived from this. */
export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Relative to the base address; `{name}` is a path parameter. */
  path: `/${string}`
  /** A short title, and the group that the documentation lists it in. */
  summary: string
  tag: string
  /** What an API key must allow to call the operation. */
  scope: Scope
  /** Shown in the documentation. Operations without it do not change incompatibly. */
  stability?: 'experimental' | 'beta'
  /**
   * The parts of the request. An invalid path parameter is a 404; other invalid input is a 400. A query parameter or a
   * header whose schema is a list may be repeated.
   */
  params?: ObjectSchema
  query?: ObjectSchema
  headers?: ObjectSchema
  body?: ObjectSchema
  /** The response. A 204 has no body; a 201 has the header `Location`. */
  success: { status: 200 | 201 | 202; body: v.GenericSchema } | { status: 204 }
  /** Errors of its own, besides those of every operation: an example of the message, by status. */
  errors?: Readonly<Record<number, string>>
  /** Whether it returns a list page by page: it has the query parameter `cursor`, and links to the next page. */
  paged?: true
  /** Whether its success has an `ETag`, and whether it takes `If-Match`: then a resource that has changed since is a 412. */
  tagged?: true
  conditional?: true
  /** Whether it can be retried with the header `Idempotency-Key`, which takes effect once. A replay says so in a header. */
  idempotent?: true
  deprecated?: Deprecated
  /** What its function may do with the tables, besides reading API keys (`accessOf` in infra/functions.ts). */
  access: readonly Access[]
  /** The settings that its function needs besides those of its tables. */
  settings?: readonly SettingName[]
}

/** A `v.object()` whose fields have a `v.description()`: their rule. It may be in a pipe with checks of the whole object. */
export type ObjectSchema = v.GenericSchema<unknown, object> & { entries: v.ObjectEntries }

/** When an operation was deprecated, when it will be removed, and the path of its replacement. */
export type Deprecated = { since: Date; sunset: Date; successor: `/${string}` }

/** The operations by operationId, which is also the name of the file in `functions/` and of the Lambda function. */
export const contract = {
  listPets: {
    method: 'GET',
    path: '/pets',
    summary: 'List all animals',
    tag: 'Pets',
    scope: 'pets:read',
    query: v.object({
      limit: v.optional(Limit, '20'),
      status: v.optional(PetStatus),
    }),
    success: { status: 200, body: Pets },
    paged: true,
    access: [
      { table: 'pets', index: 'newest', actions: ['Query'] },
      { table: 'pets', index: 'byStatus', actions: ['Query'] },
    ],
  },
  createPet: {
    method: 'POST',
    path: '/pets',
    summary: 'Add an animal',
    tag: 'Pets',
    scope: 'pets:write',
    body: NewPet,
    success: { status: 201, body: Pet },
    idempotent: true,
    tagged: true,
    access: [
      { table: 'pets', actions: ['GetItem', 'PutItem'] },
      { table: 'idempotencyKeys', actions: ['GetItem', 'PutItem'] },
    ],
  },
  getPet: {
    method: 'GET',
    path: '/pets/{petId}',
    summary: 'Get an animal',
    tag: 'Pets',
    scope: 'pets:read',
    params: v.object({ petId: PetIdText }),
    success: { status: 200, body: Pet },
    tagged: true,
    deprecated: { since: new Date('2026-11-20'), sunset: new Date('2030-12-05'), successor: '/pets' },
    access: [{ table: 'pets', actions: ['GetItem'] }],
  },
  updatePet: {
    method: 'PATCH',
    path: '/pets/{petId}',
    summary: 'Change a pet',
    tag: 'Pets',
    scope: 'pets:write',
    stability: 'experimental',
    params: v.object({ petId: PetIdText }),
    body: PetChanges,
    success: { status: 200, body: Pet },
    tagged: true,
    conditional: true,
    access: [{ table: 'pets', actions: ['GetItem', 'UpdateItem'] }],
  },
  deletePet: {
    method: 'DELETE',
    path: '/pets/{petId}',
    summary: 'Delete a pet',
    tag: 'Pets',
    scope: 'pets:write',
    stability: 'experimental',
    params: v.object({ petId: PetIdText }),
    success: { status: 204 },
    conditional: true,
    access: [{ table: 'pets', actions: ['GetItem', 'UpdateItem'] }],
  },
} as const satisfies Record<string, Operation>

/** The operationId of an operation. */
export type OperationId = keyof typeof contract

/** The operationIds of all operations. */
export const operationIds = Object.keys(contract) as OperationId[] // `Object.keys` returns `string[]`.

/** The types of all operations. */
export type Contract = typeof contract

/** The schemas of the parts of a request, with the parameters and headers that the flags of the entry add. */
export const partsOf = (entry: Operation): Record<Part, ObjectSchema | undefined> => ({
  params: entry.params,
  query: merged(entry.query, entry.paged && flagged.paged),
  headers: merged(
    merged(entry.headers, entry.idempotent && flagged.idempotent),
    entry.conditional && flagged.conditional,
  ),
  body: entry.body,
})

/** The request headers that an operation reads, besides `Authorization` and those of the body. */
export const requestHeaders = (entry: Operation): string[] => Object.keys(partsOf(entry).headers?.entries ?? {})

/** The headers that a success of an operation may have, besides those of every response. */
export const successHeaders = ({ success, paged, idempotent, tagged }: Operation): string[] => [
  ...(success.status === 201 ? ['Location'] : []),
  ...(idempotent ? ['Idempotent-Replayed'] : []),
  ...(paged ? ['Link'] : []),
  ...(tagged ? ['ETag'] : []),
]

/** The headers that each response of an operation has to announce its removal. */
export const noticeHeaders = ({ deprecated }: Operation): string[] =>
  deprecated ? ['Deprecation', 'Sunset', 'Link'] : []

const flagged = {
  paged: v.object({ cursor: v.optional(Cursor) }),
  idempotent: v.object({ 'Idempotency-Key': v.optional(IdempotencyKey) }),
  conditional: v.object({ 'If-Match': v.optional(IfMatch) }),
}

const merged = (own: ObjectSchema | undefined, added: ObjectSchema | undefined): ObjectSchema | undefined =>
  own && added ? v.object({ ...own.entries, ...added.entries }) : (own ?? added)

/** A part of a request. */
export type Part = 'params' | 'query' | 'headers' | 'body'

/** The parsed input of an operation, part by part. */
export type Input<Entry extends Operation> = {
  params: Parsed<Entry, 'params'>
  query: Parsed<Entry, 'query'> & IfFlagged<Entry, 'paged'>
  headers: Parsed<Entry, 'headers'> & IfFlagged<Entry, 'idempotent'> & IfFlagged<Entry, 'conditional'>
  body: Parsed<Entry, 'body'>
}

/** What an operation returns. `headers` are added to the headers that every response has. */
export type Output<Id extends OperationId> = {
  headers?: Record<string, string> | undefined
} & (Contract[Id]['success'] extends {
  body: infer Body extends v.GenericSchema
}
  ? { body: v.InferOutput<Body> }
  : { body?: undefined })

type Parsed<Entry, Name extends Part> = Entry extends { [N in Name]: infer S extends v.GenericSchema }
  ? v.InferOutput<S>
  : unknown

type IfFlagged<Entry, Flag extends keyof typeof flagged> = Entry extends { [F in Flag]: true }
  ? v.InferOutput<(typeof flagged)[Flag]>
  : unknown

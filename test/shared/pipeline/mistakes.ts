import * as v from 'valibot'
import { collection } from '../../../shared/data/collection.ts'
import type { Transaction } from '../../../shared/data/transaction.ts'
import { Id } from '../../../shared/model/id.ts'
import { Filters } from '../../../shared/model/paging.ts'
import type { Entry, Run } from '../../../shared/pipeline/entry.ts'
import { example } from '../../support/example.ts'

// `tsc` checks this file: an expected error that is missing is an error, too.

const Toy = v.pipe(v.object({ id: Id, size: v.number() }), v.title('Toy'))
const toy = { id: 1, size: 7 }
const entry = {
  method: 'POST',
  path: '/toys',
  summary: 'Add a toy',
  tag: 'Toys',
  scope: example.scopes.write,
  access: {},
} as const

const created = {
  ...entry,
  success: { status: 201, body: Toy },
  etag: true,
  idempotent: true,
} as const
const query = Filters({ color: v.optional(v.string()), size: v.optional(v.string()) })
const paged = {
  ...entry,
  query,
  success: { status: 200, body: v.array(Toy) },
  paged: true,
} as const
const plain = { ...entry, success: { status: 200, body: Toy }, settings: ['keyPrefix'] } as const
const empty = { ...entry, success: { status: 204 }, conditional: true } as const

/** What the flags of an entry mean for its function. */
export const functions: [
  Run<typeof created>,
  Run<typeof paged>,
  Run<typeof plain>,
  Run<typeof empty>,
] = [
  async ({ tx, caller }) => ({ resource: toy, revision: tx.revision + caller.clientId }),
  async ({ query }) => ({ items: [toy], next: query.cursor }),
  async ({ settings }) => ({ ...toy, size: Number(settings.keyPrefix) }),
  async ({ ifMatch }) => void ifMatch,
]

export const wrongFunctions: [
  Run<typeof created>,
  Run<typeof created>,
  Run<typeof paged>,
  Run<typeof plain>,
][] = [
  [
    // @ts-expect-error: an operation with an ETag returns a revision.
    async () => ({ resource: toy }),
    // @ts-expect-error: only an operation with If-Match gets revisions to compare.
    async ({ ifMatch }) => ({ resource: toy, revision: ifMatch[0] }),
    // @ts-expect-error: a paged operation says where the next page begins.
    async () => ({ items: [toy] }),
    // @ts-expect-error: a function gets only the settings that its entry names.
    async ({ settings }) => ({ ...toy, size: Number(settings.readShards) }),
  ],
]

export const wrongEntries: Entry[] = [
  // @ts-expect-error: a GET changes nothing, and so is idempotent already.
  { ...plain, method: 'GET', idempotent: true },
  // @ts-expect-error: a list is not stored.
  { ...paged, idempotent: true },
  // @ts-expect-error: a GET has no body.
  { ...plain, method: 'GET', body: Toy },
  // @ts-expect-error: a body is an object or a list.
  { ...plain, success: { status: 200, body: v.string() } },
  // @ts-expect-error: only a list has pages.
  { ...plain, paged: true },
  // @ts-expect-error: a list has no revision.
  { ...paged, etag: true },
  // @ts-expect-error: there is no such table.
  { ...plain, access: { toys: 'read' } },
  // @ts-expect-error: there is no such right.
  { ...plain, access: { [example.table]: 'write' } },
  // @ts-expect-error: only collections have lists.
  { ...plain, access: { apiKeys: 'list' } },
  // @ts-expect-error: there is no such setting.
  { ...plain, settings: ['holdHours'] },
  // @ts-expect-error: there is no such scope.
  { ...plain, scope: 'toys:read' },
]

const halved = collection(example.table, Toy, {
  derived: { half: [v.number(), ({ size }) => size / 2] },
})

export const wrongCollections = (tx: Transaction) => [
  // @ts-expect-error: a collection stores a revision of its own.
  collection(example.table, v.object({ id: Id, revision: v.string() })),
  // @ts-expect-error: and the partitions of indexes.
  collection(example.table, v.object({ id: Id, sizeShard: v.string() })),
  // @ts-expect-error: there is no such table.
  collection('toys', Toy),
  // @ts-expect-error: a resource has an id.
  collection(example.table, v.object({ size: v.number() })),
  // @ts-expect-error: no index serves this filter.
  example.collection.list(tx, { limit: 1, nothing: 'red' }),
  // @ts-expect-error: a field of its own cannot be called as what a collection stores, either.
  collection(example.table, Toy, { own: { shard: v.number() } }),
  // @ts-expect-error: a derived field is computed from fields that there are.
  collection(example.table, Toy, { derived: { half: [v.number(), ({ weight }) => weight / 2] } }),
  // @ts-expect-error: and is a value of its schema.
  collection(example.table, Toy, { derived: { half: [v.number(), ({ size }) => `${size}`] } }),
  // @ts-expect-error: a derived field cannot be set.
  halved.create(tx, { size: 2, half: 1 }),
  // @ts-expect-error: a required field cannot be removed.
  collection(example.table, Toy).change(tx, 1, { size: null }),
  // @ts-expect-error: the resource has no such field.
  collection(example.table, Toy).change(tx, 1, { color: 'red' }),
]

import * as v from 'valibot'
import type { Access } from './data/tables.ts'
import type { Scope } from './model/api-key.ts'
import { Cursor } from './model/cursor.ts'
import { IdempotencyKey } from './model/idempotency-key.ts'
import { Int64Text } from './model/int64.ts'
import { Limit, NewPet, Pet, PetChanges, PetStatus, Pets } from './model/pet.ts'
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
  /** The parts of the request. An invalid path parameter is a 404; other invalid input is a 400. */
  params?: ObjectSchema
  query?: ObjectSchema
  headers?: ObjectSchema
  body?: ObjectSchema
  /** The response. A 204 has no body. */
  success: { status: 200 | 201 | 202; body: v.GenericSchema } | { status: 204 }
  deprecated?: Deprecated
  /** What its function may do with the tables, in addition to reading API keys. */
  access: readonly Access[]
  /** The settings that its function needs besides those of its tables. */
  settings?: readonly SettingName[]
}

/** A `v.object()` whose fields have descriptions; it may be in a pipe with checks of the whole object. */
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
      cursor: v.optional(Cursor),
    }),
    success: { status: 200, body: Pets },
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
    headers: v.object({ 'Idempotency-Key': v.optional(IdempotencyKey) }),
    body: NewPet,
    success: { status: 201, body: Pet },
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
    params: v.object({ petId: Int64Text }),
    success: { status: 200, body: Pet },
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
    params: v.object({ petId: Int64Text }),
    body: PetChanges,
    success: { status: 200, body: Pet },
    access: [{ table: 'pets', actions: ['UpdateItem'] }],
  },
  deletePet: {
    method: 'DELETE',
    path: '/pets/{petId}',
    summary: 'Delete a pet',
    tag: 'Pets',
    scope: 'pets:write',
    stability: 'experimental',
    params: v.object({ petId: Int64Text }),
    success: { status: 204 },
    access: [{ table: 'pets', actions: ['GetItem', 'UpdateItem'] }],
  },
} as const satisfies Record<string, Operation>

/** The operationId of an operation. */
export type OperationId = keyof typeof contract

/** The operationIds of all operations. */
export const operationIds = Object.keys(contract) as OperationId[] // `Object.keys` returns `string[]`.

/** The types of all operations. */
export type Contract = typeof contract

/** The parsed input of an operation: its parameters, headers and body in one object. */
export type Input<Id extends OperationId> = Part<Id, 'params'> &
  Part<Id, 'query'> &
  Part<Id, 'headers'> &
  Part<Id, 'body'>

/** What an operation returns. `headers` are added to the headers that every response has. */
export type Output<Id extends OperationId> = {
  headers?: Record<string, string> | undefined
} & (Contract[Id]['success'] extends {
  body: infer Body extends v.GenericSchema
}
  ? { body: v.InferOutput<Body> }
  : { body?: undefined })

type Part<Id extends OperationId, Name> = Contract[Id] extends { [N in Name & string]: infer S extends v.GenericSchema }
  ? v.InferOutput<S>
  : unknown

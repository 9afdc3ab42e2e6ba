import * as v from 'valibot'
import type { Operation } from './entry.ts'
import { Limit, NewPet, Pet, PetChanges, PetIdText, PetStatus, Pets } from './model/pet.ts'

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
      { table: 'pets', actions: ['PutItem'] },
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
    access: [{ table: 'pets', actions: ['GetItem', 'PutItem'] }],
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
    access: [{ table: 'pets', actions: ['GetItem', 'DeleteItem'] }],
  },
} as const satisfies Record<string, Operation>

/** The types of all operations. */
export type Contract = typeof contract

/** The operationId of an operation. */
export type OperationId = keyof Contract

/** The operationIds of all operations. */
export const operationIds = Object.keys(contract) as OperationId[] // `Object.keys` returns `string[]`.

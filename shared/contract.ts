import { propertyNames } from './model/names.ts'
import {
  NewOrder,
  Order,
  OrderChanges,
  OrderFilters,
  OrderPath,
  Orders,
  orderIsComplete,
  petIsHeld,
  petIsNotAvailable,
} from './orders/order.ts'
import { NewPet, Pet, PetChanges, PetFilters, PetPath, Pets } from './pets/pet.ts'
import type { AnyEntry, Declaration } from './pipeline/entry.ts'

// The examples of the reference: Rex, and Tom with his open order.
const REX = 373212905455903
const TOM = 373212905520046
const ORDER = 373212906332160

/** The operations, by operationId: the name of the file in `functions/` and of the function. */
export const contract = {
  listPets: {
    method: 'GET',
    path: '/pets',
    summary: 'List all animals',
    description: 'Returns a page of all pets, or of those with a status.',
    tag: 'Pets',
    scope: 'pets:read',
    query: PetFilters,
    pages: Pets,
    access: { pets: 'list' },
  },
  createPet: {
    method: 'POST',
    path: '/pets',
    summary: 'Add an animal',
    description: 'Adds a pet, and returns it with the `id` that the service assigned.',
    tag: 'Pets',
    scope: 'pets:write',
    body: NewPet,
    returns: Pet,
    access: { pets: 'create' },
  },
  getPet: {
    method: 'GET',
    path: '/pets/{petId}',
    summary: 'Get an animal',
    description:
      'Returns the pet with this identifier. When this operation is removed, find the pet in the ' +
      'list, by its `status`, and change it without `If-Match`: a list has no `ETag`.',
    tag: 'Pets',
    scope: 'pets:read',
    params: PetPath,
    returns: Pet,
    deprecated: {
      since: new Date('2026-11-20'),
      sunset: new Date('2030-12-05'),
      successor: '/pets',
    },
    access: { pets: 'read' },
  },
  updatePet: {
    method: 'PATCH',
    path: '/pets/{petId}',
    summary: 'Change a pet',
    description:
      'Replaces the fields that the body has (RFC 7396), and returns the pet. A `null` removes ' +
      'an optional field. Without `If-Match`, the last change wins. A pet with an open order ' +
      'keeps its status: 409.',
    tag: 'Pets',
    scope: 'pets:write',
    stability: 'experimental',
    params: PetPath,
    body: PetChanges,
    returns: Pet,
    errors: [petIsHeld(TOM, ORDER)],
    access: { pets: 'change', orders: 'read' },
  },
  deletePet: {
    method: 'DELETE',
    path: '/pets/{petId}',
    summary: 'Delete a pet',
    description:
      'Deletes the pet. From then on, new requests for it get a 404. A retry of the request that ' +
      'added the pet does not bring it back. A pet with an open order cannot be deleted: 409.',
    tag: 'Pets',
    scope: 'pets:write',
    stability: 'experimental',
    params: PetPath,
    errors: [petIsHeld(TOM, ORDER)],
    access: { pets: 'remove', orders: 'read' },
  },
  listOrders: {
    method: 'GET',
    path: '/store/orders',
    summary: 'List all orders',
    description:
      'Returns a page of all orders, of those for a pet, or of those that are complete or open.',
    tag: 'Store',
    scope: 'orders:read',
    stability: 'experimental',
    query: OrderFilters,
    pages: Orders,
    access: { orders: 'list' },
  },
  placeOrder: {
    method: 'POST',
    path: '/store/orders',
    summary: 'Order a pet',
    description:
      'Orders a pet. Only a pet with the status `available` can be ordered; it is `pending` from ' +
      'then on. Of any number of requests for a pet, one gets it, and no other does: 409.',
    tag: 'Store',
    scope: 'orders:write',
    stability: 'experimental',
    body: NewOrder,
    returns: Order,
    errors: [petIsNotAvailable(REX, 'is sold')],
    access: { orders: 'create', pets: 'change' },
  },
  getOrder: {
    method: 'GET',
    path: '/store/orders/{orderId}',
    summary: 'Get an order',
    description: 'Returns the order with this identifier.',
    tag: 'Store',
    scope: 'orders:read',
    stability: 'experimental',
    params: OrderPath,
    returns: Order,
    access: { orders: 'read' },
  },
  updateOrder: {
    method: 'PATCH',
    path: '/store/orders/{orderId}',
    summary: 'Complete an order',
    description:
      'Completes the order; its pet is `sold` from then on. A complete order cannot be changed ' +
      'any more. Completing it again changes nothing.',
    tag: 'Store',
    scope: 'orders:write',
    stability: 'experimental',
    params: OrderPath,
    body: OrderChanges,
    returns: Order,
    access: { orders: 'change', pets: 'change' },
  },
  cancelOrder: {
    method: 'DELETE',
    path: '/store/orders/{orderId}',
    summary: 'Cancel an order',
    description:
      'Deletes an order that is not complete; its pet is `available` again. From then on, new ' +
      'requests for the order get a 404.',
    tag: 'Store',
    scope: 'orders:write',
    stability: 'experimental',
    params: OrderPath,
    errors: [orderIsComplete(ORDER, TOM)],
    access: { orders: 'remove', pets: 'change' },
  },
} as const satisfies Record<string, Declaration>

export type Contract = typeof contract

export type OperationId = keyof Contract

export const operationIds = propertyNames(contract)

/** The same entries for whoever works with any operation, without the type of each. */
// `object`, because a mistake in an entry would be reported twice: at `satisfies`, and here.
export const entries = contract as object as Readonly<Record<OperationId, AnyEntry>>

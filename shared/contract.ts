import * as v from 'valibot'
import { NewOrder, Order, OrderChanges, OrderIdText, Orders } from './orders/order.ts'
import { NewPet, Pet, PetChanges, PetIdText, PetStatus, Pets } from './pets/pet.ts'
import type { Entry } from './pipeline/entry.ts'

const HELD = 'Pet 373212905520046 has the open order 373212906332160. Complete or cancel it first.'

/**
 * The operations by operationId, which is also the name of the file in `functions/` and of the
 * Lambda function.
 */
export const contract = {
  listPets: {
    method: 'GET',
    path: '/pets',
    summary: 'List all animals',
    tag: 'Pets',
    scope: 'pets:read',
    query: v.object({ status: v.optional(PetStatus) }),
    success: { status: 200, body: Pets },
    paged: true,
    access: { pets: 'list' },
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
    etag: true,
    access: { pets: 'create' },
  },
  getPet: {
    method: 'GET',
    path: '/pets/{petId}',
    summary: 'Get an animal',
    tag: 'Pets',
    scope: 'pets:read',
    params: v.object({ petId: PetIdText }),
    success: { status: 200, body: Pet },
    etag: true,
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
    tag: 'Pets',
    scope: 'pets:write',
    stability: 'experimental',
    params: v.object({ petId: PetIdText }),
    body: PetChanges,
    success: { status: 200, body: Pet },
    etag: true,
    conditional: true,
    errors: { 409: HELD },
    access: { pets: 'change', orders: 'read' },
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
    errors: { 409: HELD },
    access: { pets: 'remove', orders: 'read' },
  },
  listOrders: {
    method: 'GET',
    path: '/store/orders',
    summary: 'List all orders',
    tag: 'Store',
    scope: 'orders:read',
    stability: 'experimental',
    success: { status: 200, body: Orders },
    paged: true,
    access: { orders: 'list' },
  },
  placeOrder: {
    method: 'POST',
    path: '/store/orders',
    summary: 'Order a pet',
    tag: 'Store',
    scope: 'orders:write',
    stability: 'experimental',
    body: NewOrder,
    success: { status: 201, body: Order },
    idempotent: true,
    etag: true,
    errors: { 409: 'Pet 373212905455903 is not available: it is sold.' },
    access: { orders: 'create', pets: 'change' },
  },
  getOrder: {
    method: 'GET',
    path: '/store/orders/{orderId}',
    summary: 'Get an order',
    tag: 'Store',
    scope: 'orders:read',
    stability: 'experimental',
    params: v.object({ orderId: OrderIdText }),
    success: { status: 200, body: Order },
    etag: true,
    access: { orders: 'read' },
  },
  updateOrder: {
    method: 'PATCH',
    path: '/store/orders/{orderId}',
    summary: 'Complete an order',
    tag: 'Store',
    scope: 'orders:write',
    stability: 'experimental',
    params: v.object({ orderId: OrderIdText }),
    body: OrderChanges,
    success: { status: 200, body: Order },
    etag: true,
    conditional: true,
    access: { orders: 'change', pets: 'change' },
  },
  cancelOrder: {
    method: 'DELETE',
    path: '/store/orders/{orderId}',
    summary: 'Cancel an order',
    tag: 'Store',
    scope: 'orders:write',
    stability: 'experimental',
    params: v.object({ orderId: OrderIdText }),
    success: { status: 204 },
    conditional: true,
    errors: {
      409: 'Order 373212906332160 is complete. To offer pet 373212905520046 again, change its status.',
    },
    access: { orders: 'remove', pets: 'change' },
  },
} as const satisfies Record<string, Entry>

export type Contract = typeof contract

export type OperationId = keyof Contract

// `Object.keys` returns `string[]`.
export const operationIds = Object.keys(contract) as OperationId[]

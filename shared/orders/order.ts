import * as v from 'valibot'
import { type ApiError, conflict } from '../model/api-error.ts'
import { mustBe } from '../model/fields.ts'
import { Id } from '../model/id.ts'
import { Int64, Int64Text } from '../model/int64.ts'
import { filtersOf, listOf } from '../model/paging.ts'
import { Text } from '../model/text.ts'
import { Timestamp } from '../model/timestamp.ts'

/** The fields that a client sets, once. */
const fields = {
  petId: v.pipe(Int64, v.description('The identifier of the pet that is ordered.')),
  reference: v.pipe(
    v.optional(Text(100)),
    v.description('What the caller calls the order, such as the number of a receipt.'),
  ),
}

const COMPLETE = 'Whether the order is complete.'

/** What a client sends to order a pet. */
export const NewOrder = v.pipe(
  v.object(fields),
  v.title('NewOrder'),
  v.examples([{ petId: 373212905455903, reference: 'receipt 1742' }]),
)
export type NewOrder = v.InferOutput<typeof NewOrder>

/** The only change of an order: it is completed, once and for all. */
export const OrderChanges = v.pipe(
  v.object({ complete: v.pipe(v.literal(true), mustBe('true'), v.description(COMPLETE)) }),
  v.title('OrderChanges'),
  v.examples([{ complete: true }]),
)

const EXAMPLE = {
  id: 373212906332160,
  petId: 373212905520046,
  reference: 'receipt 1741',
  complete: false,
  placedAt: '2026-11-20T14:07:12Z',
}

/** An order as the service returns it. Orders of earlier versions have no times. */
export const Order = v.pipe(
  v.object({
    id: v.pipe(
      Id,
      v.description(
        'The unique identifier of the order, assigned by the service when it is placed.',
      ),
    ),
    ...fields,
    complete: v.pipe(v.boolean(), mustBe('true or false'), v.description(COMPLETE)),
    placedAt: v.pipe(v.optional(Timestamp), v.description('When the order was placed.')),
    completedAt: v.pipe(v.optional(Timestamp), v.description('When the order was completed.')),
  }),
  v.title('Order'),
  v.examples([EXAMPLE]),
)
export type Order = v.InferOutput<typeof Order>

export const Orders = v.pipe(listOf(Order), v.title('Orders'), v.examples([[EXAMPLE]]))

/** The path parameter of the operations on one order. */
export const OrderPath = v.object({
  orderId: v.pipe(
    Int64Text,
    v.examples([EXAMPLE.id]),
    v.description('The identifier of the order.'),
  ),
})

/** A boolean in a query, where everything is text. */
const BooleanText = v.pipe(
  v.picklist(['true', 'false']),
  v.transform((text) => text === 'true'),
  v.metadata({ type: 'boolean' }),
  mustBe('true or false'),
)

/** The filters of the list of orders. */
export const OrderFilters = filtersOf({
  petId: v.pipe(v.optional(Int64Text), v.description('Returns only orders for this pet.')),
  complete: v.pipe(
    v.optional(BooleanText),
    v.description('Returns only orders that are complete, or only those that are not.'),
  ),
})

/** A complete order is not canceled. */
export const orderIsComplete = (orderId: Int64, petId: Int64): ApiError =>
  conflict(`Order ${orderId} is complete. To offer pet ${petId} again, change its status.`)

/** An open order holds the pet. */
export const petIsHeld = (petId: Int64, orderId: Int64): ApiError =>
  conflict(`Pet ${petId} has the open order ${orderId}. Complete or cancel it first.`)

/** Only an available pet can be ordered. `state` says what it is, such as `is sold`. */
export const petIsNotAvailable = (petId: Int64, state: string): ApiError =>
  conflict(`Pet ${petId} is not available: it ${state}.`)

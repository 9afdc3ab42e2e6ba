import * as v from 'valibot'
import { Id } from '../model/id.ts'
import { Int64, Int64Text } from '../model/int64.ts'
import { meanings } from '../model/meanings.ts'
import { listOf } from '../model/paging.ts'

const texts = {
  petId: 'The identifier of the pet that is ordered.',
  complete: 'Whether the order is complete.',
}

/** What a client sends to order a pet. */
export const NewOrder = v.pipe(
  v.object({ petId: Int64 }),
  v.title('NewOrder'),
  meanings({ petId: texts.petId }),
  v.examples([{ petId: 373212905455903 }]),
)
export type NewOrder = v.InferOutput<typeof NewOrder>

/** The only change of an order: it is completed, once and for all. */
export const OrderChanges = v.pipe(
  v.object({ complete: v.pipe(v.literal(true), v.description('true')) }),
  v.title('OrderChanges'),
  meanings({ complete: texts.complete }),
  v.examples([{ complete: true }]),
)

const EXAMPLE = { id: 373212906332160, petId: 373212905520046, complete: false }

/** An order as the service returns it. */
export const Order = v.pipe(
  v.object({
    id: Id,
    petId: Int64,
    complete: v.pipe(v.boolean(), v.description('true or false')),
  }),
  v.title('Order'),
  meanings({
    id: 'The unique identifier of the order, assigned by the service when it is placed.',
    ...texts,
  }),
  v.examples([EXAMPLE]),
)
export type Order = v.InferOutput<typeof Order>

export const Orders = v.pipe(listOf(Order), v.title('Orders'), v.examples([[EXAMPLE]]))

/** The path parameter of the operations on one order. */
export const OrderPath = v.pipe(
  v.object({ orderId: v.pipe(Int64Text, v.examples([EXAMPLE.id])) }),
  meanings({ orderId: 'The identifier of the order.' }),
)

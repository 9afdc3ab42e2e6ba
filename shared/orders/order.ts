import * as v from 'valibot'
import { Id, IdText } from '../model/id.ts'
import { Int64 } from '../model/int64.ts'
import { listOf } from '../model/paging.ts'

/** What a client sends to order a pet. */
export const NewOrder = v.pipe(
  v.object({ petId: Int64 }),
  v.title('NewOrder'),
  v.examples([{ petId: 373212905455903 }]),
)
export type NewOrder = v.InferOutput<typeof NewOrder>

/** The only change of an order: it is completed, once and for all. */
export const OrderChanges = v.pipe(
  v.object({ complete: v.pipe(v.literal(true), v.description('true')) }),
  v.title('OrderChanges'),
  v.examples([{ complete: true }]),
)

const EXAMPLE = { id: 373212906332160, petId: 373212905520046, complete: false }

/** The id of an order in a path. */
export const OrderIdText = v.pipe(IdText, v.examples([EXAMPLE.id]))

/** An order as the service returns it. */
export const Order = v.pipe(
  v.object({
    id: Id,
    ...NewOrder.entries,
    complete: v.pipe(v.boolean(), v.description('true or false')),
  }),
  v.title('Order'),
  v.examples([EXAMPLE]),
)
export type Order = v.InferOutput<typeof Order>

export const Orders = v.pipe(listOf(Order), v.title('Orders'), v.examples([[EXAMPLE]]))

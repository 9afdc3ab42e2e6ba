import { orders } from '../shared/orders/orders.ts'
import { operation } from '../shared/pipeline/operation.ts'

/** `PATCH /store/orders/{orderId}`: completes an order. */
export const handler = operation('updateOrder', ({ tx, params, ifMatch }) =>
  orders.complete(tx, params.orderId, ifMatch),
)

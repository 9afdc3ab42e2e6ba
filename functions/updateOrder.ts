import { operation } from '../shared/operation.ts'
import { orders } from '../shared/orders/orders.ts'

/** `PATCH /store/orders/{orderId}`: completes an order. */
export const handler = operation('updateOrder', ({ tx, params, ifMatch }) =>
  orders.complete(tx, params.orderId, ifMatch),
)

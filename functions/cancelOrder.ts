import { orders } from '../shared/orders/orders.ts'
import { operation } from '../shared/pipeline/operation.ts'

/** `DELETE /store/orders/{orderId}`: cancels an order. */
export const handler = operation('cancelOrder', ({ tx, params, ifMatch }) =>
  orders.cancel(tx, params.orderId, ifMatch),
)

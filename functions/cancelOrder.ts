import { operation } from '../shared/operation.ts'
import { orders } from '../shared/orders/orders.ts'

/** `DELETE /store/orders/{orderId}`: cancels an order. */
export const handler = operation('cancelOrder', ({ tx, params, ifMatch }) => orders.cancel(tx, params.orderId, ifMatch))

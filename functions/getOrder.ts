import { operation } from '../shared/operation.ts'
import { orders } from '../shared/orders/orders.ts'

/** `GET /store/orders/{orderId}`: reads one order. */
export const handler = operation('getOrder', ({ tx, params }) => orders.get(tx, params.orderId))

import { orders } from '../shared/orders/orders.ts'
import { operation } from '../shared/pipeline/operation.ts'

/** `GET /store/orders/{orderId}`: reads one order. */
export const handler = operation('getOrder', ({ tx, params }) => orders.get(tx, params.orderId))

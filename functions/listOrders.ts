import { operation } from '../shared/operation.ts'
import { orders } from '../shared/orders/orders.ts'

/** `GET /store/orders`: lists orders, newest first. */
export const handler = operation('listOrders', ({ tx, query }) => orders.list(tx, query))

import { orders } from '../shared/orders/orders.ts'
import { operation } from '../shared/pipeline/operation.ts'

/** `GET /store/orders`: lists orders, newest first. */
export const handler = operation('listOrders', ({ tx, page }) => orders.list(tx, page))

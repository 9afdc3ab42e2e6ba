import { operation } from '../shared/operation.ts'
import { orders } from '../shared/orders/orders.ts'

/** `POST /store/orders`: orders a pet. */
export const handler = operation('placeOrder', ({ tx, body }) => orders.place(tx, body))

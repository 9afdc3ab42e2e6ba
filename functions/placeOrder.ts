import { orders } from '../shared/orders/orders.ts'
import { operation } from '../shared/pipeline/operation.ts'

/** `POST /store/orders`: orders a pet. */
export const handler = operation('placeOrder', ({ tx, body }) => orders.place(tx, body))

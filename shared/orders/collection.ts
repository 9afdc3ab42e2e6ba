import { collection } from '../data/collection.ts'
import { Order } from './order.ts'

/** The orders as they are stored. (Apart from their rules, which know those of pets, because pets ask for open orders.) */
export const storedOrders = collection('orders', Order)

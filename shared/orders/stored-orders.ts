import { collection } from '../data/collection.ts'
import { Order } from './order.ts'

/** The orders as they are stored, without their rules. */
export const storedOrders = collection('orders', Order)

import { type ApiError, conflict } from '../model/api-error.ts'
import type { Int64 } from '../model/int64.ts'

// The refusals of orders and pets. The contract shows an example of each.

/** An open order holds the pet. */
export const petIsHeld = (petId: Int64, orderId: Int64): ApiError =>
  conflict(`Pet ${petId} has the open order ${orderId}. Complete or cancel it first.`)

/** Only an available pet can be ordered. `state` says what it is, such as `is sold`. */
export const petIsNotAvailable = (petId: Int64, state: string): ApiError =>
  conflict(`Pet ${petId} is not available: it ${state}.`)

/** A complete order stays. */
export const orderIsComplete = (orderId: Int64, petId: Int64): ApiError =>
  conflict(`Order ${orderId} is complete. To offer pet ${petId} again, change its status.`)

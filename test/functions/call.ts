import type { Context } from 'aws-lambda'
import { vi } from 'vitest'
import { handler as createPet } from '../../functions/createPet.ts'
import { handler as getPet } from '../../functions/getPet.ts'
import { handler as listPets } from '../../functions/listPets.ts'
import type { Event } from '../../shared/http.ts'
import { refuseInternals } from '../support/secrets.ts'

const handlers = { 'GET /pets': listPets, 'POST /pets': createPet, 'GET /pets/{petId}': getPet }

/** Calls the function that `event` is for, and returns its whole response with the body parsed. */
export const call = async (event: Event) => {
  const handler = handlers[`${event.httpMethod} ${event.resource}` as keyof typeof handlers]
  const { statusCode: status, headers, body } = await handler(event, context)
  refuseInternals({ status, headers, text: body })
  return { status, headers, body: JSON.parse(body) }
}

/** The request log of the functions, which is not printed. */
export const info = vi.spyOn(console, 'info').mockImplementation(() => {})

/** The error log of the functions, which is not printed. */
export const error = vi.spyOn(console, 'error').mockImplementation(() => {})

/** The context that Lambda passes to a function. */
export const context = { functionVersion: '$LATEST' } as Context // The functions read nothing else of it.

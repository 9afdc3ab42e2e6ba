import { store } from './aws-sdk.ts'
import { honoHandler } from './hono-handler.ts'

export const handler = honoHandler(store)

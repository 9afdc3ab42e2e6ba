import { store } from './bare-https.ts'
import { honoHandler } from './hono-handler.ts'

export const handler = honoHandler(store)

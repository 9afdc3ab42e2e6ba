import { bareHandler } from './bare-handler.ts'
import { stockStore } from './stock-store.ts'

export const handler = bareHandler(stockStore)

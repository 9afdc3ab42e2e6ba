import { afterAll } from 'vitest'
import { startServer } from '../support/server.ts'
import { startBrowser } from './browser.ts'

// Each test file that imports this has a browser and a local server of its own.
export const browser = await startBrowser()
afterAll(() => browser.close())

export const server = await startServer()
afterAll(() => server.stop())

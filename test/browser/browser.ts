import { existsSync } from 'node:fs'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, onTestFailed } from 'vitest'
import { startServer } from '../support/server.ts'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
if (!existsSync(CHROMIUM))
  throw new Error(
    `There is no browser at ${CHROMIUM}. Install Chromium (on Debian: apt-get install ` +
      'chromium), or set its path: CHROMIUM=<path> npm run test:browser',
  )

// Each test file that imports this gets its own browser and local server.
const browser = await chromium.launch({ executablePath: CHROMIUM })
afterAll(() => browser.close())

/** A local server to test. */
export const server = await startServer()
afterAll(() => server.stop())

/** A page, its errors and warnings so far, and the URLs of other origins that it requested. */
type Visit = { page: Page; complaints: string[]; elsewhere: string[] }

/** Opens a new page of the origin of `baseUrl`, with a profile of its own. */
export const visit = async (
  baseUrl = server.baseUrl,
  options: BrowserContextOptions = {},
): Promise<Visit> => {
  const page = await browser.newPage(options)
  page.setDefaultTimeout(60_000)
  const complaints: string[] = []
  const elsewhere: string[] = []
  const { origin } = new URL(baseUrl)
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('request', (request) => {
    // `data:` and `blob:` URLs need no server.
    if (/^(http|ws)/.test(request.url()) && new URL(request.url()).origin !== origin)
      elsewhere.push(request.url())
  })
  // Mostly the reason why something is not shown.
  onTestFailed(() => console.error('Errors and warnings of the page:', complaints))
  return { page, complaints, elsewhere }
}

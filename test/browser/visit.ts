import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFailed } from 'vitest'

/** A page, what went wrong in it so far, and the addresses elsewhere that it asked for something. */
export type Visit = { page: Page; complaints: string[]; elsewhere: string[] }

/** Opens a new page that belongs to `baseUrl`, with a profile of its own. */
export const visit = async (browser: Browser, baseUrl: string, options?: BrowserContextOptions): Promise<Visit> => {
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
    // A page may hold what it asks for itself: `data:` and `blob:`.
    if (/^(http|ws)/.test(request.url()) && new URL(request.url()).origin !== origin) elsewhere.push(request.url())
  })
  // Where something is not shown, this is mostly why.
  onTestFailed(() => console.error('The page complained:', complaints))
  return { page, complaints, elsewhere }
}

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/browser/', import.meta.url))

/** Keeps a picture of a page, for whoever looks at it. */
export const keepPicture = (page: Page, name: string): Promise<unknown> =>
  page.screenshot({ path: `${FOLDER}${name}.png` })

import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, expect, onTestFailed, test } from 'vitest'
import { referencePage, referenceScriptText } from '../../infra/openapi/reference.ts'
import { entries } from '../../shared/contract.ts'
import type { AnyEntry } from '../../shared/pipeline/entry.ts'
import { newPet } from '../support/pets.ts'
import { startServer } from '../support/server.ts'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
if (!existsSync(CHROMIUM))
  throw new Error(
    `There is no browser at ${CHROMIUM}. Install Chromium (on Debian: apt-get install ` +
      'chromium), or set its path: CHROMIUM=<path> npm run test:browser',
  )

const browser = await chromium.launch({ executablePath: CHROMIUM })
afterAll(() => browser.close())

const server = await startServer()
afterAll(() => server.stop())

/**
 * Opens a new page with a profile of its own. Returns it, its errors and warnings so far, and the
 * URLs that it requested elsewhere.
 */
const visit = async (options: BrowserContextOptions = {}) => {
  const page = await browser.newPage(options)
  page.setDefaultTimeout(60_000)
  const complaints: string[] = []
  const elsewhere: string[] = []
  const { origin } = new URL(server.baseUrl)
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

const DOCS = `${server.baseUrl}/docs`
/** The largest int64. */
const LARGEST = '9223372036854775807'
const { listPets, createPet, updatePet } = entries
const failed = (status: string) =>
  `Failed to load resource: the server responded with a status of ${status}`

/** Opens the console of an operation, by its summary in the table of contents. */
const openConsole = async (page: Page, { summary, method, path }: AnyEntry) => {
  await page.getByRole('link', { name: summary }).click()
  await page.getByRole('button', { name: `Test Request (${method.toLowerCase()} ${path})` }).click()
  const dialog = page.getByRole('dialog')
  const response = dialog.getByRole('region', { name: 'Response', exact: true })

  /** Sends the request, waits for a response with this status and text, and returns its body. */
  const send = async (status: string, text: string): Promise<string> => {
    await dialog.getByRole('button', { name: /^Send (get|post) request/ }).click()
    await response.getByRole('link', { name: status }).waitFor()
    const body = response
      .getByRole('region', { name: 'Body' })
      .getByRole('textbox')
      .filter({ hasText: text })
    // biome-ignore lint/performance/useDomNodeTextContent: only rendered text has line breaks.
    return body.innerText()
  }
  const close = async (): Promise<void> => {
    await dialog.getByRole('button', { name: 'Close Client' }).click()
    await dialog.waitFor({ state: 'hidden' })
  }
  return {
    body: dialog.getByRole('region', { name: 'Request Body' }).getByRole('textbox'),
    send,
    close,
  }
}

test('the console adds pets and lists them, shows errors, and stores no API key', async () => {
  const { page, complaints, elsewhere } = await visit()
  await page.goto(DOCS)

  const first = await openConsole(page, listPets)
  await first.send('200 OK', '[]') // With the key of the local server.
  await first.close()
  const adding = await openConsole(page, createPet)
  await adding.body.fill(JSON.stringify(newPet('')))
  await adding.send('400 Bad Request', 'name must be a string of 1 to 1000 characters')
  // A number beyond 2^53 must not be rounded.
  await adding.body.fill(`{"name":"Rex","categoryId":${LARGEST}}`)
  const added = await adding.send('201 Created', `"categoryId": ${LARGEST}`)
  await adding.close()
  const listing = await openConsole(page, listPets)
  await listing.send('200 OK', /"id": \d+/.exec(added)?.[0] ?? 'an id')
  await listing.close()
  await page.getByLabel('Bearer Token').first().fill('another key')
  const unauthorized = await openConsole(page, listPets)
  await unauthorized.send('401 Unauthorized', 'The API key is missing or invalid.')

  expect(complaints).toEqual([failed('400 (Bad Request)'), failed('401 (Unauthorized)')])
  expect(elsewhere).toEqual([])
  expect(await page.context().storageState({ indexedDB: true })).toEqual({
    cookies: [],
    origins: [],
  })
})

test('the page shows exact integers, no variants, and which operations are unstable', async () => {
  const { page } = await visit()
  await page.goto(DOCS)

  await page.getByText(createPet.summary).first().click()
  await page.getByText(`to ${LARGEST}`).first().waitFor()
  const { summary, stability } = updatePet
  await page.getByRole('link', { name: summary }).click()
  await page.getByRole('heading', { name: summary }).waitFor()
  expect(await page.getByText(/^(Any of|Not)$/).count()).toBe(0)
  expect(await page.textContent('body')).not.toContain('9223372036854776000')
  await page.getByText(`${stability}`, { exact: true }).first().waitFor()
})

test.each(['light', 'dark'] as const)(
  'the page fits on a phone and is accessible, in %s mode',
  async (colorScheme) => {
    const phone = {
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
      colorScheme,
    }
    const { page, complaints, elsewhere } = await visit(phone)

    await page.goto(`${DOCS}/`) // Like every path, it may end with a slash.
    await page.getByLabel('Bearer Token').first().waitFor()

    const [width, background] = await page.evaluate<[number, string]>(
      '[document.documentElement.scrollWidth, getComputedStyle(document.body).backgroundColor]',
    )
    const red = Number(/\d+/.exec(background))
    await page.evaluate(axe.source)
    const barriers = () => page.evaluate('axe.run().then(({ violations }) => violations)')
    expect(await barriers()).toEqual([])
    expect(width).toBe(phone.viewport.width)
    expect(red < 50 ? 'dark' : 'light').toBe(colorScheme)
    await page.setViewportSize({ width: 1280, height: 844 })
    // A wide page shows code at once, which has buttons.
    await page.locator('pre').first().waitFor()
    expect(await barriers()).toEqual([])
    expect(complaints).toEqual([])
    expect(elsewhere).toEqual([])
  },
)

test('as AWS serves it, the page loads its script from a CDN, and nothing else', async () => {
  const [publicAddress = ''] = referencePage().body.match(/https:[^"]+\.js/) ?? []
  const { page, complaints, elsewhere } = await visit()
  const headers = { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'text/javascript' }
  await page.route('**/docs', (route) => route.fulfill(referencePage()))
  await page.route(publicAddress, (route) =>
    route.fulfill({ headers, body: referenceScriptText() }),
  )

  await page.goto(DOCS)

  await page.getByLabel('Bearer Token').first().waitFor()
  expect(complaints).toEqual([])
  expect(elsewhere).toEqual([publicAddress])
})

import { expect, test } from 'vitest'
import { browser, server } from './surroundings.ts'
import { close, pasteKey, send, tryIt } from './try-it.ts'
import { keepPicture, visit } from './visit.ts'

const failed = (status: string) => `Failed to load resource: the server responded with a status of ${status}`

test('the console adds pets and lists them, shows what was wrong, and keeps no key', async () => {
  const { page, complaints, elsewhere } = await visit(browser, server.baseUrl)
  await page.goto(`${server.baseUrl}/docs`)

  const anonymous = await tryIt(page, 'List all animals', 'get /pets')
  await send(anonymous, '401 Unauthorized', 'The API key is missing or invalid.')
  await keepPicture(page, 'unauthorized')
  await close(anonymous)
  await pasteKey(page, server.apiKey)
  const adding = await tryIt(page, 'Add an animal', 'post /pets')
  await adding.body.fill('{"name": "", "categoryId": 7}')
  await send(adding, '400 Bad Request', 'name must be a string of 1 to 1000 characters')
  await adding.body.fill('{"name": "Rex", "categoryId": 9223372036854775807, "status": "sold"}')
  const added = await send(adding, '201 Created', '"categoryId": 9223372036854775807')
  await keepPicture(page, 'created')
  await close(adding)
  const listing = await tryIt(page, 'List all animals', 'get /pets')
  await send(listing, '200 OK', /"id": \d+/.exec(added)?.[0] ?? 'an id')

  expect(complaints).toEqual([failed('401 (Unauthorized)'), failed('400 (Bad Request)')])
  expect(elsewhere).toEqual([])
  expect(await page.context().storageState({ indexedDB: true })).toEqual({ cookies: [], origins: [] })
})

test('the page shows the limits of an int64 in full, and nothing that was rounded', async () => {
  const { page } = await visit(browser, server.baseUrl)
  await page.goto(`${server.baseUrl}/docs`)

  await page.getByText('Add an animal').first().click()
  await page.getByText('9223372036854775807, in digits').first().waitFor()

  expect(await page.textContent('body')).not.toContain('9223372036854776000')
})

test.each(['light', 'dark'] as const)('the page fits on a phone, in %s mode', async (colorScheme) => {
  const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme }
  const { page, complaints, elsewhere } = await visit(browser, server.baseUrl, phone)

  // As well with a slash at the end, which the API takes everywhere.
  await page.goto(`${server.baseUrl}/docs/`)
  await page.getByLabel('Bearer Token').first().waitFor()
  await keepPicture(page, `phone-${colorScheme}`)

  const [width, background] = await page.evaluate<[number, string]>(
    '[document.documentElement.scrollWidth, getComputedStyle(document.body).backgroundColor]',
  )
  const red = Number(/\d+/.exec(background))
  expect(width).toBe(phone.viewport.width)
  expect(red < 50 ? 'dark' : 'light').toBe(colorScheme)
  expect(complaints).toEqual([])
  expect(elsewhere).toEqual([])
})

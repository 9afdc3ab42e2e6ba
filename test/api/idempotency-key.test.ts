import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { cursorAfter } from '../../shared/model/paging.ts'
import { call, create, created, expectCommonHeaders, expectError } from '../support/api.ts'
import { example, type Resource } from '../support/example.ts'

const keyed = (key: string | string[]) => ({ 'Idempotency-Key': key })

/** All resources that are newer than the one with this id. */
const listedAfter = async (id: number): Promise<Resource[]> => {
  const newer: Resource[] = []
  let cursor = ''
  while (true) {
    const { body } = await call({ path: `${example.path}?limit=100${cursor}` })
    const page = body as Resource[] // As the document describes a 200; `call` compares them.
    newer.push(...page.filter((each) => each.id > id))
    const last = page.at(-1)
    if (!last || last.id <= id) return newer
    cursor = `&cursor=${cursorAfter(last.id)}`
  }
}

const aBody = () => example.body(`New ${randomUUID()}`)

test('creates a resource once, and returns the same response to all requests, at once and later', async () => {
  const [earlier, body, key] = [await created(aBody()), aBody(), randomUUID()]

  const atOnce = await Promise.all(Array.from({ length: 10 }, () => create(body, keyed(key))))
  // A quoted key is the same key, and a body that is spelled differently the same body.
  const spelled = JSON.stringify(Object.fromEntries(Object.entries(body).reverse()), null, 2)
  const retried = await create(spelled, keyed(`"${key}"`))

  const { text, headers } = retried
  for (const response of atOnce) {
    expect(response).toMatchObject({ status: 201, text, headers: { location: headers.location } })
    expectCommonHeaders(response)
  }
  const replayed = [...atOnce, retried].map((response) => response.headers['idempotent-replayed'])
  // None is the original response if that one was a 503, which the test retried.
  expect(replayed.filter((each) => each !== 'true')).toBeOneOf([[undefined], []])
  const saved = async () => {
    const newer = await listedAfter(earlier.id)
    return newer.filter((each) => each[example.text] === body[example.text])
  }
  // The index follows the table, usually within a second.
  await expect.poll(saved).toEqual([retried.body])
})

test('returns 422 for a key that was sent with a different request', async () => {
  const [body, key] = [aBody(), randomUUID()]
  await create(body, keyed(key))

  const refused = await create(aBody(), keyed(key))
  const retried = await create(body, keyed(key))

  const message =
    'This Idempotency-Key was used for another request within the last 24 hours. Repeat that request, or use a new key.'
  expectError(refused, 422, 'unprocessable_content', message)
  expect(retried.status).toBe(201)
})

test('ignores a key where nothing is created', async () => {
  const { status } = await call({ path: `${example.path}?limit=1`, headers: keyed('not a key') })

  expect(status).toBe(200)
})

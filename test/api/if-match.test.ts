import { describe, expect, test } from 'vitest'
import { EXAMPLE_TAG } from '../../shared/model/etag.ts'
import { create, expectError, remove, update } from '../support/api.ts'
import type { Received } from '../support/http.ts'
import type { Pet } from '../support/server.ts'

type Headers = { 'If-Match': string | string[] }
type Send = (id: number | string, headers: Headers) => Promise<Received>

/** A pet that was changed once, and its tags. */
const changedPet = async () => {
  const added = await create({ name: 'Rex', categoryId: 7 })
  const { id } = added.body as Pet // As the tests of createPet prove.
  const changed = await update(id, { name: 'Max' })
  return { id, first: added.headers.etag ?? '', current: changed.headers.etag ?? '' }
}

describe.each<[string, number, Send]>([
  ['a change', 200, (id, headers) => update(id, { status: 'sold' }, headers)],
  ['a delete', 204, remove],
])('%s with If-Match', (_, success, send) => {
  test.each<[string, (tags: { first: string; current: string }) => string]>([
    ['the current tag', ({ current }) => current],
    ['a list that has it', ({ first, current }) => `"a", W/${current},, ${current}, ${first}`],
    ['*', () => '*'],
  ])('succeeds for %s', async (_, tags) => {
    const pet = await changedPet()

    const { status } = await send(pet.id, { 'If-Match': tags(pet) })

    expect(status).toBe(success)
  })

  test.each<[string, (tags: { first: string; current: string }) => string, string]>([
    ['an older revision', ({ first }) => first, '.'],
    ['a tag of another form', () => '"v2", ""', '.'],
    ['a weak tag', ({ current }) => `W/${current}`, ', without W/: a weak tag never matches.'],
  ])('returns 412 for %s, and changes nothing', async (_, tags, end) => {
    const pet = await changedPet()

    const response = await send(pet.id, { 'If-Match': tags(pet) })

    const message = 'The resource does not have the revision in If-Match. Read it again, and send its current ETag'
    expectError(response, 412, 'precondition_failed', message + end)
    const { status, body } = await update(pet.id, { categoryId: 8 }, { 'If-Match': pet.current })
    expect({ status, body }).toEqual({ status: 200, body: { id: pet.id, name: 'Max', categoryId: 8 } })
  })

  test('returns 400 that shows the form for what is no list of tags', async () => {
    const response = await send(1, { 'If-Match': 'abc' })

    const form = `* or a list of 1 to 10 entity tags in double quotes, such as ${EXAMPLE_TAG}`
    expectError(response, 400, 'bad_request', `If-Match must be ${form}, or omitted.`)
  })

  test.each(['"1"', 'W/"1"'])('returns 404 for %s if no pet has the id, or it was deleted', async (tags) => {
    const { id } = await changedPet()
    await remove(id)

    for (const each of [id, 1])
      expectError(await send(each, { 'If-Match': tags }), 404, 'not_found', `No pet has the id ${each}.`)
  })
})

test('each change of a pet gives it another tag, also one that changes no value', async () => {
  const { id, first, current } = await changedPet()

  const { status, headers } = await update(id, { name: 'Max' }, { 'If-Match': current })

  expect(status).toBe(200)
  expect(new Set([first, current, headers.etag]).size).toBe(3)
})

const atOnce = (send: (i: number) => Promise<Received>) => Promise.all(Array.from({ length: 40 }, (_, i) => send(i)))

test('of 40 changes of one revision at the same time, one takes effect, and the others get a 412', async () => {
  const { id, current } = await changedPet()

  const responses = await atOnce((i) => update(id, { categoryId: 1000 + i }, { 'If-Match': current }))

  const { categoryId } = (await update(id, { status: 'sold' })).body as Pet // As the tests of updatePet prove.
  expect(categoryId).toBeGreaterThanOrEqual(1000)
  const [winner] = responses.splice(categoryId - 1000, 1)
  // After a 503, the winner meets its own change.
  expect(winner?.status).toBeOneOf([200, 412])
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([412]))
})

test('of 40 changes of different fields at the same time, all are kept', async () => {
  const { id } = await changedPet()
  const changes = [{ name: 'Tom' }, { categoryId: 8 }, { status: 'sold' }]

  const responses = await atOnce((i) => update(id, changes[i % 3]))

  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
  const { body } = await update(id, { name: 'Tom' })
  expect(body).toEqual({ id, name: 'Tom', categoryId: 8, status: 'sold' })
})

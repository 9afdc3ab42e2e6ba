import { describe, expect, test } from 'vitest'
import { EXAMPLE_TAG } from '../../shared/model/etag.ts'
import { create, expectError, remove, update } from '../support/api.ts'
import { example, has, type Resource } from '../support/example.ts'

const { body: changes, other: otherChanges } = example.change

/** A resource that was changed once, and its tags. */
const changedOnce = async () => {
  const created = await create(example.body())
  const { id } = created.body as Resource // `call` compares it with the document.
  const changed = await update(id, changes)
  return { id, first: created.headers.etag ?? '', current: changed.headers.etag ?? '' }
}

type Way = [string, number, typeof remove]

describe
  .runIf(has.change)
  .each([
    ['a change', 200, (id, headers) => update(id, otherChanges, headers)] satisfies Way,
    ...(has.remove ? [['a delete', 204, remove] satisfies Way] : []),
  ])('%s with If-Match', (_, success, send) => {
  test.each<[string, (tags: { first: string; current: string }) => string]>([
    ['the current tag', ({ current }) => current],
    ['a list that has it', ({ first, current }) => `"a", W/${current},, ${current}, ${first}`],
    ['*', () => '*'],
  ])('succeeds for %s', async (_, tags) => {
    const resource = await changedOnce()

    const { status } = await send(resource.id, { 'If-Match': tags(resource) })

    expect(status).toBe(success)
  })

  test.each<[string, (tags: { first: string; current: string }) => string, string]>([
    ['an older revision', ({ first }) => first, '.'],
    ['a tag of another form', () => '"v2", ""', '.'],
    ['a weak tag', ({ current }) => `W/${current}`, ', without W/: a weak tag never matches.'],
  ])('returns 412 for %s, and changes nothing', async (_, tags, end) => {
    const resource = await changedOnce()

    const response = await send(resource.id, { 'If-Match': tags(resource) })

    const message =
      'The resource does not have the revision in If-Match. Read it again, and send its current ETag'
    expectError(response, 412, 'precondition_failed', message + end)
    const { id, current } = resource
    const again = await update(id, changes, { 'If-Match': current })
    expect(again).toMatchObject({ status: 200, body: { id, ...example.body(), ...changes } })
  })

  test('returns 400 that shows the form for what is no list of tags', async () => {
    const response = await send(1, { 'If-Match': 'abc' })

    const form = `* or a list of 1 to 10 entity tags in double quotes, such as ${EXAMPLE_TAG}`
    expectError(response, 400, 'bad_request', `If-Match must be ${form}, or omitted.`)
  })

  test.each(['"1"', 'W/"1"'])(
    'returns 404 for %s if no resource has the id, or it was deleted',
    async (tags) => {
      const { id } = await changedOnce()
      const isDeleted = has.remove && (await remove(id)).status === 204

      for (const each of isDeleted ? [id, 1] : [1]) {
        const response = await send(each, { 'If-Match': tags })
        expectError(response, 404, 'not_found', example.notFound(each))
      }
    },
  )
})

test.runIf(has.change)(
  'each change of a resource gives it another tag, also one that changes no value',
  async () => {
    const { id, first, current } = await changedOnce()

    const { status, headers } = await update(id, changes, { 'If-Match': current })

    expect(status).toBe(200)
    expect(new Set([first, current, headers.etag]).size).toBe(3)
  },
)

test.runIf(has.change)(
  'of 40 changes of different fields at the same time, all are kept',
  async () => {
    const { id } = await changedOnce()
    const fields = [{ [example.text]: 'Tom' }, otherChanges]

    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, i) => update(id, fields[i % 2])),
    )

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    const { body } = await update(id, otherChanges)
    expect(body).toMatchObject({ id, ...fields[0], ...otherChanges })
  },
)

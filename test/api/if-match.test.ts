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

type Tags = { first: string; current: string }

describe.runIf(has.change)('a change with If-Match', () => {
  const change = (id: number, tags: string) => update(id, otherChanges, { 'If-Match': tags })

  test.each<[string, (tags: Tags) => string]>([
    [
      'a list that has the current tag',
      ({ first, current }) => `"a", W/${current},, ${current}, ${first}`,
    ],
    ['*', () => '*'],
  ])('succeeds for %s', async (_, tags) => {
    const resource = await changedOnce()

    expect((await change(resource.id, tags(resource))).status).toBe(200)
  })

  test.each<[string, (tags: Tags) => string, string]>([
    ['an older revision', ({ first }) => first, '.'],
    ['a tag of another form', () => '"v2", ""', '.'],
    ['a weak tag', ({ current }) => `W/${current}`, ', without W/: a weak tag never matches.'],
  ])('returns 412 for %s, and changes nothing', async (_, tags, end) => {
    const resource = await changedOnce()

    const response = await change(resource.id, tags(resource))

    const message =
      'The resource does not have the revision in If-Match. Read it again, and send its current ETag'
    expectError(response, 412, 'precondition_failed', message + end)
    const { id, current } = resource
    const again = await update(id, changes, { 'If-Match': current })
    expect(again).toMatchObject({ status: 200, body: { id, ...example.body(), ...changes } })
  })

  test('returns 400 that shows the form for what is no list of tags', async () => {
    const form = `* or a list of 1 to 10 entity tags in double quotes, such as ${EXAMPLE_TAG}`
    const message = `If-Match must be ${form}, or omitted.`
    expectError(await change(1, 'abc'), 400, 'bad_request', message)
  })

  test('returns 404 if no resource has the id', async () => {
    expectError(await change(1, '"1"'), 404, 'not_found', example.notFound(1))
  })
})

test.runIf(has.change && has.remove)(
  'a delete with If-Match returns 412 until the tag is the current one, and then 404',
  async () => {
    const { id, first, current } = await changedOnce()

    const responses = [
      await remove(id, { 'If-Match': first }),
      await remove(id, { 'If-Match': current }),
      await remove(id, { 'If-Match': current }),
    ]

    expect(responses.map(({ status }) => status)).toEqual([412, 204, 404])
  },
)

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
  'of 5 changes of different fields at the same time, all are kept',
  async () => {
    const { id } = await changedOnce()
    const fields = [{ [example.text]: 'Tom' }, otherChanges]

    const responses = await Promise.all(
      Array.from({ length: 5 }, (_, i) => update(id, fields[i % 2])),
    )

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    const { body } = await update(id, otherChanges)
    expect(body).toMatchObject({ id, ...fields[0], ...otherChanges })
  },
)

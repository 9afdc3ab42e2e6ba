import { describe, expect, test } from 'vitest'
import { EXAMPLE_ETAG } from '../../shared/model/etag.ts'
import { create, expectError, update } from '../support/api.ts'
import { newPet } from '../support/pets.ts'

/** A pet that was changed once, and its ETags. */
const changedOnce = async () => {
  const added = await create(newPet())
  const { id } = Object(added.body)
  const changed = await update(id, { name: 'Max' })
  return { id, first: added.headers.etag ?? '', current: changed.headers.etag ?? '' }
}

type ETags = { first: string; current: string }

describe('a change with If-Match', () => {
  const sell = (id: number, ifMatch: string) =>
    update(id, { status: 'sold' }, { 'If-Match': ifMatch })

  test.each<[string, (etags: ETags) => string]>([
    [
      'a list that has the current ETag',
      ({ first, current }) => `"a", W/${current},, ${current}, ${first}`,
    ],
    ['*', () => '*'],
  ])('succeeds for %s', async (_, ifMatch) => {
    const pet = await changedOnce()

    expect((await sell(pet.id, ifMatch(pet))).status).toBe(200)
  })

  test.each<[string, (etags: ETags) => string, string]>([
    ['an older revision', ({ first }) => first, '.'],
    ['an ETag of another form', () => '"v2", ""', '.'],
    ['a weak ETag', ({ current }) => `W/${current}`, ', without W/: a weak tag never matches.'],
  ])('returns 412 for %s, and changes nothing', async (_, ifMatch, end) => {
    const { id, ...both } = await changedOnce()

    const response = await sell(id, ifMatch(both))

    const message =
      'The resource does not have the revision in If-Match. Read it again, and send its ' +
      'current ETag'
    expectError(response, 412, 'precondition_failed', message + end)
    const again = await update(id, { name: 'Max' }, { 'If-Match': both.current })
    expect([again.status, again.body]).toEqual([200, { id, ...newPet('Max') }])
    // Although no value has changed.
    expect(again.headers.etag).not.toBe(both.current)
  })

  test('returns 400 that shows the form for what is no list of tags', async () => {
    const form = `* or a list of 1 to 10 entity tags in double quotes, such as ${EXAMPLE_ETAG}`
    const message = `If-Match must be ${form}, or omitted.`
    expectError(await sell(1, 'abc'), 400, 'bad_request', message)
  })
})

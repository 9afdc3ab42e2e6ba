import assert from 'node:assert/strict'
import type { Received } from '../support/http.ts'

/** All answers to creates under each idempotency key. */
export type Creations = Map<string, Received[]>

/**
 * Checks that under each key one pet was added, and that whoever asked for it again got that one.
 *
 * @param wasBusy whether some request was answered 503 at first: it may have added the pet all the same
 */
export const checkCreations = (creations: Creations, wasBusy: boolean): void => {
  for (const [key, answers] of creations) {
    const added = answers.filter(({ status }) => status === 201)
    const first = added.filter(({ headers }) => !headers['idempotent-replayed'])
    const refused = answers.some(({ status }) => status === 422)
    const what = `${key} added ${first.length} pets, of ${added.length} answers.`
    if (first.length > 0 || !wasBusy) assert.equal(first.length, added.length > 0 || refused ? 1 : 0, what)
    assert.ok(
      added.every(({ text }) => text === added[0]?.text),
      what,
    )
  }
  const replayed = [...creations.values()].flat().filter(({ headers }) => headers['idempotent-replayed'])
  assert.ok(replayed.length > 0, 'Nothing was asked for again.')
}

import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { unavailable } from '../functions/responses.ts'
import { at } from '../shared/data/clock.ts'
import { answers } from '../support/fault-proxy.ts'
import { startContainer } from './container.ts'
import { ask, type Wish } from './requests.ts'
import { storedPets } from './stored.ts'

const container = await startContainer()
afterEach(() => {
  container.proxy.faultOf = () => 'pass'
})

const created = async (wish: Wish) => {
  const { response } = await ask(container, wish)
  return { status: response.status, id: response.body.id, isReplayed: 'Idempotent-Replayed' in response.headers }
}

const idsOf = async (name: string) => (await storedPets()).filter((item) => item.name === name).map(({ id }) => id)

const HOUR = 3_600_000

test('a pet is remembered for 24 hours, and then the same request adds another one', async () => {
  const wish = { clientId: 'ann', name: 'Rex', idempotencyKey: 'of-a-day' }

  const first = await created(wish)
  at(24 * HOUR - 1000)
  const lastReplay = await created(wish)
  at(24 * HOUR)
  const another = await created(wish)

  expect(lastReplay).toEqual({ ...first, isReplayed: true })
  expect(another).toEqual({ status: 201, id: expect.any(Number), isReplayed: false })
  expect(new Set(await idsOf('Rex'))).toEqual(new Set([first.id, another.id]))
})

test('a pet is the same for each API key of a client, and another one for another client', async () => {
  const wish = { clientId: 'ann', name: 'Tom', idempotencyKey: 'order-1742' }

  const ofAnn = await created(wish)
  const withAnotherKey = await created(wish)
  const ofBob = await created({ ...wish, clientId: 'bob' })

  expect(withAnotherKey).toEqual({ ...ofAnn, isReplayed: true })
  expect(ofBob).toEqual({ status: 201, id: expect.any(Number), isReplayed: false })
  expect(new Set(await idsOf('Tom'))).toEqual(new Set([ofAnn.id, ofBob.id]))
})

/** Lets reads of a table see nothing, though the puts before them were refused because something is there. */
const blind = (table: string, times: number) => {
  let left = times
  container.proxy.faultOf = async ({ operation, body }) => {
    if (operation !== 'GetItem' || !body.includes(table) || left-- <= 0) return 'pass'
    await pause(100) // Or it would be asked hundreds of times.
    return answers.nothing
  }
}

describe.each(['Pets', 'IdempotencyKeys'])('a pet stays one when nothing of what is there is seen in %s', (table) => {
  test.each([1, 2, 3])('%d times', async (times) => {
    const wish = { clientId: 'ann', name: `Mia ${table} ${times}`, idempotencyKey: `${table}-${times}` }
    const first = await created(wish)
    blind(table, times)

    const replay = await created(wish)

    expect(replay).toEqual({ ...first, isReplayed: true })
    expect(await idsOf(wish.name)).toEqual([first.id])
  })

  test('ever again, until the time for the request is over', async () => {
    const wish = { clientId: 'ann', name: `Zoe ${table}`, idempotencyKey: table }
    const first = await created(wish)
    blind(table, Number.POSITIVE_INFINITY)

    const { response } = await ask(container, wish)
    blind(table, 0)
    const replay = await created(wish)

    expect(response).toMatchObject(unavailable)
    expect(replay).toEqual({ ...first, isReplayed: true })
    expect(await idsOf(wish.name)).toEqual([first.id])
  })
})

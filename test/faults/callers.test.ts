import { expect, test } from 'vitest'
import { at } from '../support/clock.ts'
import { storedItems, storeItem, storeKey } from '../support/database.ts'
import { changeEvent, createEvent, deleteEvent, send, servedResponse, startContainer, type Wish } from './container.ts'

const container = await startContainer()
const apiKey = await storeKey()

const create = async (wish: Partial<Wish>) => {
  const { headers, body, status } = await servedResponse(container, createEvent({ name: 'Rex', apiKey, ...wish }))
  return { status, id: body.id, ETag: headers.ETag, isReplay: 'Idempotent-Replayed' in headers }
}

const petsOf = async (name: string) => (await storedItems()).filter((pet) => pet.name === name)

const times = <Result>(length: number, work: (i: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length }, (_, i) => work(i)))

test('60 creates with one key at once create one pet, and get it', async () => {
  const responses = await times(60, () => create({ name: 'Tom', idempotencyKey: 'tom' }))

  const [pet, ...others] = await petsOf('Tom')
  const { id, revision } = { ...pet }
  expect(others).toEqual([])
  expect(responses.map(({ isReplay, ...response }) => response)).toEqual(
    responses.map(() => ({ status: 201, id, ETag: `"${id}-${revision}"` })),
  )
  // The first one may have got a 503.
  expect(responses.filter(({ isReplay }) => !isReplay).length).toBeLessThanOrEqual(1)
})

test('40 changes of one pet at once take effect one after the other', async () => {
  await storeItem({ id: 40, name: 'Rex 40', categoryId: 0, shard: 0, revision: 'x' })
  /** The changes that took effect, each with the revision that it replaced. */
  const replaced = new Map<string, string>()
  container.proxy.faultOf = ({ operation, body }) => {
    const [{ Put } = { Put: undefined }] = operation === 'TransactWriteItems' ? JSON.parse(body).TransactItems : []
    if (Put) replaced.set(Put.Item.revision.S, Put.ExpressionAttributeValues[':revision'].S)
    return 'pass'
  }

  const exchanges = await times(40, (i) => send(container, changeEvent(40, { categoryId: i }, apiKey)))
  container.proxy.faultOf = () => 'pass'

  const served = exchanges.filter(({ response }) => response.status !== 503)
  const revisions = served.map(({ response }) => /^"40-(.*)"$/.exec(response.headers.ETag ?? '')?.[1] ?? '')
  expect(new Set(served.map(({ response }) => response.status))).toEqual(new Set([200]))
  const history: string[] = []
  for (let [pet] = await petsOf('Rex 40'), last = `${pet?.revision}`; last !== 'x'; last = replaced.get(last) ?? 'x')
    history.push(last)
  expect(history).toEqual(expect.arrayContaining(revisions))
  expect(new Set(revisions).size).toBe(served.length)
})

test('of 20 changes of one revision at once, one takes effect', async () => {
  await storeItem({ id: 20, name: 'Rex 20', categoryId: 7, shard: 0, revision: 'x' })

  const responses = await times(20, (i) =>
    servedResponse(container, changeEvent(20, { categoryId: i }, apiKey, '"20-x"')),
  )

  const [changed, ...refused] = responses.map(({ status }) => status).sort()
  expect([changed, ...new Set(refused)]).toEqual([expect.toBeOneOf([200, 412]), 412])
  const [pet] = await petsOf('Rex 20')
  expect(pet?.revision).not.toBe('x')
  if (changed === 200) expect(responses.find(({ status }) => status === 200)?.body.categoryId).toBe(pet?.categoryId)
})

test('a key is the same for all API keys of a client, and another one for another client', async () => {
  const first = await create({ name: 'Kim', idempotencyKey: 'order-1742' })
  const withAnotherApiKey = await create({ name: 'Kim', idempotencyKey: 'order-1742', apiKey: await storeKey() })
  const ofAnother = await create({
    name: 'Kim',
    idempotencyKey: 'order-1742',
    apiKey: await storeKey({ clientId: 'bob' }),
  })

  expect(withAnotherApiKey).toEqual({ ...first, isReplay: true })
  expect(ofAnother.isReplay).toBe(false)
  expect((await petsOf('Kim')).map(({ id }) => id).sort()).toEqual([first.id, ofAnother.id].sort())
})

test.each([
  ['changed', (id: number) => changeEvent(id, { name: 'Max', status: null }, apiKey)],
  ['deleted', (id: number) => deleteEvent(id, apiKey)],
])('a retry after the pet was %s gets the original response, and leaves the pet as it is', async (key, eventOf) => {
  const event = createEvent({ name: 'Rex', apiKey, idempotencyKey: key })
  const first = await servedResponse(container, event)
  await servedResponse(container, eventOf(first.body.id))
  const stored = await storedItems()

  at(24 * 3_600_000 - 1000)
  const retried = await servedResponse(container, event)

  expect(retried).toEqual({ ...first, headers: { ...first.headers, 'Idempotent-Replayed': 'true' } })
  expect(await storedItems()).toEqual(stored)
})

import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Order } from '../../shared/orders/order.ts'
import { service } from '../../shared/service.ts'
import {
  createdPet,
  expectCommonHeaders,
  expectError,
  expectListed,
  remove,
  request,
  sendJson,
  update,
} from '../support/api.ts'
import { type Received, replayOf } from '../support/http.ts'

type Headers = Record<string, string>
// Every order has a key, because a request that got a 503 is retried, and may have taken effect.
const place = (petId: unknown, madeUp = '', key: string = randomUUID()) =>
  sendJson('POST', '/store/orders', { 'Idempotency-Key': key }, `{"petId":${petId}${madeUp}}`)
const read = (id: unknown) => request({ path: `/store/orders/${id}` })
const complete = (id: unknown, headers?: Headers) =>
  sendJson('PATCH', `/store/orders/${id}`, headers, { complete: true })
const cancel = (id: unknown, headers?: Headers) =>
  sendJson('DELETE', `/store/orders/${id}`, headers)

const OUTDATED = { 'If-Match': '"1-a"' }
const current = ({ headers }: Received) => ({ 'If-Match': headers.etag ?? '' })
const orderOf = ({ body }: Received) => body as Order // As the first test proves.
const A_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
const statusesOf = (responses: Received[]) => responses.map(({ status }) => status)
const aPet = async (status: string | null = 'available') =>
  (await createdPet({ name: 'Rex', categoryId: 7, ...(status && { status }) })).id

test('an order makes its pet pending, and sold once it is complete', async () => {
  const petId = await aPet()
  const expectStatus = (status: string) =>
    expectListed(petId, { id: petId, name: 'Rex', categoryId: 7, status })

  const placed = await place(petId, ',"id":1,"complete":true,"placedAt":"x","reference":"1742"')
  const { id } = orderOf(placed)
  const order = { id, petId, reference: '1742', complete: false, placedAt: A_TIME }
  expect([placed.status, placed.body]).toEqual([201, order])
  expect(placed.headers.location).toBe(`${service.basePath}/store/orders/${id}`)
  expect(id).toBeGreaterThan(1)
  expect(await read(id)).toMatchObject({
    status: 200,
    text: placed.text,
    headers: { etag: placed.headers.etag },
  })
  await expectStatus('pending')

  const completed = await complete(id, current(placed))
  const again = await complete(id, current(completed))
  const sold = { ...orderOf(placed), complete: true, completedAt: A_TIME }
  expect([completed.status, completed.body]).toEqual([200, sold])
  expect(again).toMatchObject({
    status: 200,
    text: completed.text,
    headers: { etag: completed.headers.etag },
  })
  await expectStatus('sold')
  const list = async () => (await request({ path: `/store/orders?petId=${petId}` })).body
  await expect.poll(list).toEqual([completed.body])

  const message = `Order ${id} is complete. To offer pet ${petId} again, change its status.`
  expectError(await cancel(id, current(completed)), 409, 'conflict', message)
  expect(statusesOf([await complete(id, OUTDATED), await cancel(id, OUTDATED)])).toEqual([412, 412])
})

test('a canceled order makes its pet available, and no later request finds it', async () => {
  const petId = await aPet()
  const placed = await place(petId)
  const { id } = orderOf(placed)

  const responses = [await cancel(id, current(placed)), await place(petId)]

  expect(statusesOf(responses)).toEqual([204, 201])
  for (const later of [await read(id), await complete(id, OUTDATED), await cancel(id, OUTDATED)])
    expectError(later, 404, 'not_found', `No order has the id ${id}.`)
})

test('a retry gets the refusal after its reason is gone, and a new key tries again', async () => {
  const petId = await aPet()
  const { id } = orderOf(await place(petId))
  const key = randomUUID()

  const refused = await place(petId, '', key)
  await cancel(id)
  const retry = await place(petId, '', key)
  const next = await place(petId)

  const message = `Pet ${petId} is not available: it is pending.`
  expectError(refused, 409, 'conflict', message)
  expect(retry).toMatchObject(replayOf(refused))
  expectCommonHeaders(retry)
  expect(next.status).toBe(201)
})

test.each<[string, () => Promise<unknown>, string]>([
  ['that is sold', () => aPet('sold'), 'it is sold'],
  ['without a status', () => aPet(null), 'it has no status'],
  ['that does not exist', async () => '-9223372036854775808', 'it does not exist'],
])('returns 409 with the reason to an order for a pet %s', async (_, pet, reason) => {
  const petId = await pet()

  expectError(await place(petId), 409, 'conflict', `Pet ${petId} is not available: ${reason}.`)
})

test.each([
  ['POST', '', '{"id":7}', expect.stringMatching(/^petId is missing: it must be .+\.$/)],
  [
    'POST',
    '',
    `{"petId":1,"reference":"${'x'.repeat(101)}"}`,
    expect.stringMatching(/^reference must be .+\.$/),
  ],
  ['PATCH', '/1', '{"complete":false}', 'complete must be true.'],
])(
  'returns 400 with the rule to %s /store/orders%s with %s',
  async (method, path, body, message) => {
    expectError(
      await sendJson(method, `/store/orders${path}`, {}, body),
      400,
      'bad_request',
      message,
    )
  },
)

test('a pet with an open order keeps its status, and only its other fields change', async () => {
  const petId = await aPet()
  const { id } = orderOf(await place(petId))

  const changed = await update(petId, { name: 'Max', status: 'pending', order: 1 })

  expect([changed.status, changed.body]).toEqual([
    200,
    { id: petId, name: 'Max', categoryId: 7, status: 'pending' },
  ])
  const message = `Pet ${petId} has the open order ${id}. Complete or cancel it first.`
  for (const status of ['sold', 'available', null])
    expectError(await update(petId, { status }, current(changed)), 409, 'conflict', message)
  expectError(await remove(petId, current(changed)), 409, 'conflict', message)
  const outdated = [
    await update(petId, { status: 'sold' }, OUTDATED),
    await remove(petId, OUTDATED),
  ]
  expect(statusesOf(outdated)).toEqual([412, 412])
})

test.each([
  ['complete=yes', 'complete must be true or false, or omitted.'],
  ['petId=1&complete=true', 'The query must have at most one of petId, complete.'],
])('returns 400 with the rule for a list with the query %s', async (query, message) => {
  expectError(await request({ path: `/store/orders?${query}` }), 400, 'bad_request', message)
})

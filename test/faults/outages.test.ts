import { describe, expect, test, vi } from 'vitest'
import { atMost } from '../../infra/local/server.ts'
import type { Event } from '../../shared/http.ts'
import { storeItem, storeKey } from '../support/database.ts'
import { responseTo, unavailable } from '../support/events.ts'
import { outages } from './cases.ts'
import { changeEvent, createEvent, deleteEvent, listEvent, send, servedResponse, startContainer } from './container.ts'

// The tests mostly wait for timeouts.
vi.setConfig({ maxConcurrency: 10 })

// On a busy machine, the retries of all tests at once would delay each other until all of them time out again.
const turn = atMost(2)

const NO_PET = 7
const rex = { id: 373117652410368, name: 'Rex', categoryId: 7, status: 'sold' }
await storeItem({ ...rex, shard: 0, statusShard: 'sold#0', revision: 'x' })

/** A request of every kind, a create with and without an idempotency key. */
const everyRequest = (name: string, apiKey: string): Event[] => [
  listEvent({ status: 'sold' }, apiKey),
  createEvent({ name, apiKey }),
  createEvent({ name, apiKey, idempotencyKey: name.replaceAll(' ', '-') }),
  changeEvent(rex.id, { status: 'sold' }, apiKey),
  deleteEvent(NO_PET, apiKey),
]

/** The successful responses to them. */
const everyResponse = (name: string) => {
  const created = { status: 201, body: expect.objectContaining({ name, categoryId: 7, status: 'available' }) }
  const found = { status: 200, body: rex }
  const responses = [{ status: 200, body: [rex] }, created, created, found, { status: 404 }]
  return responses.map((each) => expect.objectContaining(each))
}

const unavailableTo = (event: Event) => responseTo(event, unavailable)

describe.concurrent('during an outage', () => {
  test.each(outages)('every request gets a 503, and succeeds afterwards: %s', async (name, { fault }) => {
    const cachedKey = await storeKey()
    const container = await startContainer(cachedKey)
    // The first half gets past the key check, the other half does not.
    const requests = [...everyRequest(name, cachedKey), ...everyRequest(name, await storeKey())]
    const { proxy } = container
    proxy.counts = {}
    if (fault === 'refuse') await proxy.refuse()
    else proxy.faultOf = () => fault

    const during = await Promise.all(requests.map((event) => send(container, event)))
    const { GetItem = 0, TransactWriteItems = 0, Query = 0 } = proxy.counts
    if (fault === 'refuse') await proxy.accept()
    proxy.faultOf = () => 'pass'
    const after = await Promise.all(requests.map((event) => turn(() => servedResponse(container, event))))

    expect(during.map(({ response }) => response)).toEqual(requests.map(unavailableTo))
    expect(Query).toBeLessThanOrEqual(3)
    expect(TransactWriteItems).toBeLessThanOrEqual(3)
    expect(GetItem).toBeLessThanOrEqual((5 + 3) * 3)
    expect(after).toEqual([...everyResponse(name), ...everyResponse(name)])
  })

  test('a request is sent to the database five times at most, when the key check is slow and the operation, too', async () => {
    const container = await startContainer()
    const event = createEvent({ name: 'Rex', apiKey: await storeKey(), idempotencyKey: 'order-1742' })
    const callsOfOperation = async () => {
      let [keyChecks, others] = [0, 0]
      container.proxy.faultOf = ({ body }) => {
        if (!body.includes('"digest"')) others++
        else if (++keyChecks === 2) return 'pass'
        return 'silence'
      }
      expect((await send(container, event)).response).toEqual(unavailableTo(event))
      // Each attempt waits for a second, so the function ends before it times out.
      expect(keyChecks + others).toBeLessThanOrEqual(2 + 3)
      return others
    }

    // On a busy machine, the key check alone can take all of its time.
    await vi.waitUntil(callsOfOperation, 60_000)
  })
})

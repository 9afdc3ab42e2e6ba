import { afterAll, describe, expect, test } from 'vitest'
import type { Event } from '../../shared/http.ts'
import { startContainer } from './container.ts'
import { createEvent } from './events.ts'
import { everyAnswer, everyRequest, unavailableTo } from './every-operation.ts'
import { outages } from './fault-kinds.ts'
import { outage } from './outage.ts'
import { exchangeInTime } from './requests.ts'
import { newKeyOf } from './stored.ts'

const unhandled: unknown[] = []
process.on('unhandledRejection', (reason) => unhandled.push(reason))
afterAll(() => expect(unhandled).toEqual([]))

/** Functions that remember an API key of a client's. */
const startWithKey = async (clientId: string) => {
  const container = await startContainer()
  const apiKey = await newKeyOf(clientId)
  await container.call(createEvent('Rex', apiKey))
  return { container, apiKey }
}

describe.concurrent('every request is answered 503 in time, and is served right after, when calls meet', () => {
  test.each(outages)('%s', async (name, { fault }) => {
    const { container, apiKey } = await startWithKey(`${name}, known`)
    // The first half of them gets as far as the pets, the other one asks in vain whether its API key is good.
    const requests = [...everyRequest(name, apiKey), ...everyRequest(name, await newKeyOf(`${name}, unknown`))]

    const { during, milliseconds, attempts, after } = await outage(container, fault, requests)

    expect(during).toEqual(requests.map(unavailableTo))
    expect(milliseconds).toBeLessThan(6000)
    expect(attempts.Query ?? 0).toBeLessThanOrEqual(3)
    expect(attempts.PutItem ?? 0).toBeLessThanOrEqual(2 * 3)
    expect(attempts.GetItem ?? 0).toBeLessThanOrEqual((4 + 1) * 3)
    expect(after).toEqual([...everyAnswer(name), ...everyAnswer(name)])
  })
})

test('a request is answered before its function is stopped when first its key takes long, and then its pet', async () => {
  const container = await startContainer()
  const event = createEvent('Rex', await newKeyOf('ann'), 'order-1742')
  let calls = 0
  container.proxy.faultOf = () => (++calls === 2 ? 'pass' : 'silence')
  const started = performance.now()

  const response = await container.call(event)

  expect(response).toEqual(unavailableTo(event))
  expect(calls).toBeGreaterThan(2)
  expect(performance.now() - started).toBeLessThan(9000)
})

test('an outage that lasts for longer than the SDK may retry ends in full service, with one pet each', async () => {
  const { container, apiKey } = await startWithKey('bob')
  const requests = Array.from({ length: 50 }, (_, i) => createEvent(`Rex ${i}`, apiKey, `long-${i}`))

  container.proxy.faultOf = () => ({ carriedOut: 'cut' })
  const during = await inTurn(requests, (event) => container.call(structuredClone(event)))
  container.proxy.faultOf = () => 'pass'
  const after = await inTurn(requests, (event) => exchangeInTime(container, event))

  expect(during).toEqual(requests.map(unavailableTo))
  expect(after.map(({ status }) => status)).toEqual(requests.map(() => 201))
  expect(new Set(after.map(({ body }) => body.id)).size).toBe(50)
})

const inTurn = async <T>(requests: Event[], send: (event: Event) => Promise<T>): Promise<T[]> => {
  const responses: T[] = []
  for (const event of requests) responses.push(await send(event))
  return responses
}

import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { all, outage, served, UNAVAILABLE } from './every-call.ts'
import { always, proxy } from './faulty-database.ts'

const unhandled: unknown[] = []
process.on('unhandledRejection', (reason) => unhandled.push(reason))

afterEach(() => always('pass'))
afterAll(() => expect(unhandled).toEqual([]))

describe('every call ends in time as a 503, and is served right after, when the database', () => {
  test.each([
    ['never answers', 'silence'],
    ['answers a byte at a time, without end', 'drip'],
    ['breaks every connection', 'cut'],
  ] as const)('%s', async (_, fault) => {
    const { during, milliseconds, after } = await outage({ begin: () => always(fault), end: () => always('pass') })

    expect(during).toEqual(all(UNAVAILABLE))
    expect(milliseconds).toBeLessThan(6000)
    expect(after).toEqual(served)
  })

  test('refuses connections', async () => {
    const { during, milliseconds, after } = await outage({ begin: proxy.refuse, end: proxy.accept })

    expect(during).toEqual(all(UNAVAILABLE))
    expect(milliseconds).toBeLessThan(6000)
    expect(after).toEqual(served)
  })
})

import { expect, test } from 'vitest'
import { Keyspace } from './keyspace.ts'
import { limits } from './limits.ts'
import type { Kind } from './partition.ts'
import { HASHES, type Position } from './position.ts'
import { simulate } from './simulate.ts'
import type { Traffic } from './traffic.ts'

const MINUTES = 60

/** Requests of one unit each, for one of these items after the other. */
const trafficOn = (positions: Position[], kind: Kind = 'write', quota = Number.POSITIVE_INFINITY): Traffic => {
  const keyspace = new Keyspace(quota)
  const request = (_: number, sample: number) => {
    const position = positions[sample % positions.length] ?? { hash: 0, sort: 0 }
    return [{ keyspace, kind, position, units: 1 }]
  }
  return { keyspaces: [keyspace], samples: 2 * positions.length, request }
}

const item = (hash: number, sort = 0): Position => ({ hash, sort })
const everywhere = Array.from({ length: 64 }, (_, i) => item((i * HASHES) / 64))

test.each([
  ['write', 1000],
  ['read', 3000],
] as const)('one item takes at most so many units a second, and cannot be split: %s %i', (kind, most) => {
  const traffic = trafficOn([item(1)], kind)

  expect(simulate(traffic, { perSecond: 2 * most, seconds: 20 * MINUTES })).toBeCloseTo(most)
  expect(traffic.keyspaces[0]?.partitions).toBe(4)
})

test('less than that is served in full', () => {
  expect(simulate(trafficOn([item(1)]), { perSecond: 999, seconds: 5 * MINUTES })).toBeCloseTo(999)
})

test('what was not used in five minutes is used later, once', () => {
  const traffic = trafficOn([item(1)])
  simulate(traffic, { perSecond: 0, seconds: 10 * MINUTES })

  const burst = simulate(traffic, { perSecond: 2000, seconds: 5 * MINUTES })
  const after = simulate(traffic, { perSecond: 2000, seconds: 5 * MINUTES })

  expect(burst).toBeCloseTo(2000)
  expect(after).toBeCloseTo(1000)
})

test('a new table takes 4,000 writes and 12,000 reads a second at once', () => {
  const load = { perSecond: 20_000, seconds: limits.secondsBeforeSplit }

  expect(simulate(trafficOn(everywhere), load)).toBeCloseTo(4000)
  expect(simulate(trafficOn(everywhere, 'read'), load)).toBeCloseTo(12_000)
})

test('a table splits where it is hot, until all is served', () => {
  const traffic = trafficOn(everywhere)

  expect(simulate(traffic, { perSecond: 40_000, seconds: 15 * MINUTES })).toBeCloseTo(40_000)
  expect(traffic.keyspaces[0]?.partitions).toBeGreaterThanOrEqual(40)
})

test('two items of one partition come to have one each', () => {
  const traffic = trafficOn([item(1), item(2)])

  expect(simulate(traffic, { perSecond: 4000, seconds: limits.secondsBeforeSplit })).toBeCloseTo(1000)
  expect(simulate(traffic, { perSecond: 4000, seconds: 5 * MINUTES })).toBeCloseTo(2000)
})

test('an item that is asked for more often than another comes to be alone as well', () => {
  const traffic = trafficOn([item(1), item(1), item(1), item(2)])

  expect(simulate(traffic, { perSecond: 8000, seconds: 5 * MINUTES })).toBeCloseTo(2000)
})

test('what is not hot is not split', () => {
  const traffic = trafficOn(everywhere)

  simulate(traffic, { perSecond: 4000, seconds: 10 * MINUTES })

  expect(traffic.keyspaces[0]?.partitions).toBe(4)
})

test('splitting wins nothing where sort keys only rise', () => {
  const traffic = trafficOn([])
  let last = 0
  const rising = {
    ...traffic,
    samples: 20,
    request: () => traffic.request(0, 0).map((each) => ({ ...each, position: item(1, last++) })),
  }

  expect(simulate(rising, { perSecond: 2000, seconds: 20 * MINUTES })).toBeCloseTo(1000)
  expect(traffic.keyspaces[0]?.partitions).toBeGreaterThan(10)
})

test('a quota holds over all partitions', () => {
  const load = { perSecond: 20_000, seconds: 15 * MINUTES }

  expect(simulate(trafficOn(everywhere, 'write', 5000), load)).toBeCloseTo(5000)
})

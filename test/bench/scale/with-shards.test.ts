import { afterEach, expect, test, vi } from 'vitest'
import { statusShard, statusShards } from '../../../shared/data/pets.ts'
import { withSeed } from './with-seed.ts'
import { withShards } from './with-shards.ts'

afterEach(() => vi.unstubAllEnvs())

test('runs the code of the service with so many shards, and leaves the environment as it was', () => {
  vi.stubEnv('READ_SHARDS', '3')
  vi.stubEnv('WRITE_SHARDS', undefined)

  const shards = withShards(2, () => [statusShard('sold', 7), ...statusShards('sold')])

  expect(shards).toEqual(['sold#1', 'sold#0', 'sold#1'])
  expect([process.env.READ_SHARDS, process.env.WRITE_SHARDS]).toEqual(['3', undefined])
})

test('draws the same each time, and leaves the drawing as it was', () => {
  const { random } = Math
  const draw = () => Array.from({ length: 1000 }, () => Math.random())

  const first = withSeed(1, draw)
  const again = withSeed(1, draw)
  const other = withSeed(2, draw)

  expect(again).toEqual(first)
  expect(new Set([...first, ...other]).size).toBe(2000)
  expect(first.every((number) => number >= 0 && number < 1)).toBe(true)
  expect(Math.random).toBe(random)
})

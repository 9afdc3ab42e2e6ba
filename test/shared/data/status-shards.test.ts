import { afterEach, describe, expect, test, vi } from 'vitest'
import { statusShard, statusShards } from '../../../shared/data/pets.ts'

afterEach(() => vi.unstubAllEnvs())

describe('a pet is written to', () => {
  test.each([
    ['1', 'sold', 7, 'sold#0'],
    ['4', 'sold', 7, 'sold#3'],
    ['4', 'available', 8, 'available#0'],
    ['4', undefined, 9_007_199_254_740_991, 'none#3'],
  ] as const)('one of %s partitions of its status (%s), by its id %i: %s', (shards, status, id, partition) => {
    vi.stubEnv('WRITE_SHARDS', shards)

    expect(statusShard(status, id)).toBe(partition)
  })
})

describe('a list reads', () => {
  test('all partitions of its status', () => {
    vi.stubEnv('READ_SHARDS', '3')

    expect(statusShards('pending')).toEqual(['pending#0', 'pending#1', 'pending#2'])
  })

  test('all partitions of every status, and of none, where it has no filter', () => {
    vi.stubEnv('READ_SHARDS', '2')

    expect(statusShards()).toEqual([
      'available#0',
      'available#1',
      'pending#0',
      'pending#1',
      'sold#0',
      'sold#1',
      'none#0',
      'none#1',
    ])
  })
})

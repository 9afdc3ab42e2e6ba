import { beforeEach, expect, test } from 'vitest'
import { find } from '../../../shared/data/api-keys.ts'
import { newApiKey } from '../../../shared/model/api-key.ts'
import { answer } from '../../support/fault-proxy.ts'
import { always, proxy } from './faulty-database.ts'

beforeEach(() => {
  proxy.counts = {}
})

// Answers to the read of a key, so that not every one has to be stored.
const STORED = answer(200, { Item: { keyId: { S: 'key-1' }, clientId: { S: 'ann' } } })
const NOT_STORED = answer(200, {})

const newKeys = (length: number) => Array.from({ length }, () => newApiKey('local'))

/** Looks for keys, 50 at a time, and tells how many were known and how many reads that took. */
const findAll = async (keys: string[]) => {
  const before = proxy.counts.GetItem ?? 0
  const found: unknown[] = []
  for (let i = 0; i < keys.length; i += 50) found.push(...(await Promise.all(keys.slice(i, i + 50).map(find))))
  return { known: found.filter(Boolean).length, reads: (proxy.counts.GetItem ?? 0) - before }
}

test('of a flood of 5,000 good keys the thousand that were read last are remembered', async () => {
  const keys = newKeys(5000)
  always(STORED)
  const flood = await findAll(keys)
  always(NOT_STORED) // So that what was forgotten is not remembered anew.

  const last = await findAll(keys.slice(-1000))
  const others = await findAll(keys.slice(0, -1000).filter((_, i) => i % 50 === 49))

  expect(flood).toEqual({ known: 5000, reads: 5000 })
  expect(last).toEqual({ known: 1000, reads: 0 })
  expect(others).toEqual({ known: 0, reads: 80 })
})

test('one key more makes the oldest forgotten, and no other', async () => {
  const [first = '', second = '', ...others] = newKeys(1000)
  always(STORED)
  await find(first)
  await find(second)
  await findAll(others)
  await find(newApiKey('local'))
  always(NOT_STORED)

  expect(await findAll([second, ...others])).toEqual({ known: 999, reads: 0 })
  expect(await findAll([first])).toEqual({ known: 0, reads: 1 })
})

test('unknown keys, however many, make no known one forgotten', async () => {
  const known = newApiKey('local')
  always(STORED)
  await find(known)
  always(NOT_STORED)

  expect(await findAll(newKeys(1001))).toEqual({ known: 0, reads: 1001 })

  expect(await findAll([known])).toEqual({ known: 1, reads: 0 })
})

import { afterEach, describe, expect, test, vi } from 'vitest'
import { find } from '../../../shared/data/pets.ts'
import { answers } from '../../support/fault-proxy.ts'
import { all, everyCall, outcomesOf } from './every-call.ts'
import { always } from './faulty-database.ts'

afterEach(() => {
  always('pass')
  vi.unstubAllEnvs()
})

describe('a mistake of ours stays as it is, and is no 503:', () => {
  test('a table that does not exist', async () => {
    const calls = await everyCall()
    vi.stubEnv('PETS_TABLE', 'Absent')
    vi.stubEnv('API_KEYS_TABLE', 'Absent')

    const outcomes = await outcomesOf(calls)

    expect(outcomes).toEqual(all(expect.objectContaining({ name: 'ResourceNotFoundException', $fault: 'client' })))
  })

  test('a right that was not given', async () => {
    const calls = await everyCall()
    always(answers.accessDenied)

    const outcomes = await outcomesOf(calls)

    expect(outcomes).toEqual(all(expect.objectContaining({ name: 'AccessDeniedException', $fault: 'client' })))
  })

  test('a value that the SDK cannot send', async () => {
    await expect(find(Number.NaN)).rejects.toThrow('Special numeric value NaN is not allowed')
  })

  test('a setting that is not set', async () => {
    const calls = await everyCall()
    vi.stubEnv('PETS_TABLE', '')

    await expect(calls.find()).rejects.toThrow('The environment variable PETS_TABLE is not set.')
  })
})

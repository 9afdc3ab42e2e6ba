import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Event } from '../../shared/http.ts'
import { at } from '../support/clock.ts'
import { storedPet, storedPets, storeKey } from '../support/database.ts'
import { changeEvent, createEvent, deleteEvent, isServed, send, servedResponse, startContainer, type Wish } from './container.ts'

const container = await startContainer()
const apiKey = await storeKey()

const create = (wish: Partial<Wish>) => servedResponse(container, createEvent({ name: 'Rex', apiKey, ...wish }))

const HOUR = 3_600_000

describe('many callers at once', () => {
  test('60 creates with one key create one pet, and all get it', async () => {
    const responses = await Promise.all(Array.from({ length: 60 }, () => create({ name: 'Tom', idempotencyKey: 'tom' })))

    const [pet, ...others] = (await storedPets()).filter(({ name }) => name === 'Tom')
    expect(others).toEqual([])
    const isFirst = ({ headers }: (typeof responses)[number]) => !('Idempotent-Replayed' in headers)
    expect(responses.filter(isFirst).length).toBeLessThanOrEqual(1) // A 503 may have created it.
    for (const { status, headers, body } of responses)
      expect([status, headers.ETag, body.id]).toEqual([201, `"${pet?.id}-${pet?.revision}"`, pet?.id])
  })
})

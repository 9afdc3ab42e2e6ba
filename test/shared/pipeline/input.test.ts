import { describe, expect, test } from 'vitest'
import { entries } from '../../../shared/contract.ts'
import type { ProxyEvent } from '../../../shared/pipeline/gateway-event.ts'
import { idempotentRequest, parseRequest } from '../../../shared/pipeline/input.ts'
import { eventOf } from '../../support/events.ts'
import { newPet } from '../../support/pets.ts'

/** The event of an operation as `bearerKey` and `jsonBody` leave it. */
const request = (
  name: string,
  changes: Parameters<typeof eventOf>[1],
  body?: unknown,
): ProxyEvent => {
  const event = { ...eventOf(name, changes), body: body as never }
  event.requestContext.authorizer = { keyId: 'key-1', clientId: 'ann', scopes: [], isValid: true }
  return event
}

test('parses each part of a request by its schema, and freezes it', () => {
  const changes = { id: '7', headers: { 'If-Match': ['"a"', '"b"'] } }
  const event = request('updatePet-changed', changes, { status: null, color: 'red' })

  const parsed = parseRequest('updatePet', entries.updatePet, event)

  expect(parsed).toEqual({
    client: { id: 'ann' },
    params: { petId: 7 },
    page: undefined,
    ifMatch: ['a', 'b'],
    body: { status: null },
  })
  expect([parsed, ...Object.values(parsed)].every(Object.isFrozen)).toBe(true)
})

test('ignores If-Match for an operation that is not conditional', () => {
  const event = request('createPet-created', { headers: { 'If-Match': 'a' } }, newPet())

  expect(parseRequest('createPet', entries.createPet, event).ifMatch).toBeUndefined()
})

describe('an idempotency key', () => {
  const body = { name: 'Rex', categoryId: 7 }

  const keyed = (changes: Parameters<typeof eventOf>[1] = {}, sent: unknown = body) => {
    const headers = { 'Idempotency-Key': 'k', ...changes?.headers }
    const event = request('createPet-created', { ...changes, headers }, sent)
    return idempotentRequest('createPet', entries.createPet, event)
  }

  test('is that of one client for one operation', () => {
    const digest = expect.stringMatching(/^[\da-f]{64}$/)
    expect(keyed()).toEqual({ clientId: 'ann', operation: 'createPet', key: 'k', request: digest })
    expect(keyed({ headers: { 'Idempotency-Key': undefined } })).toBeUndefined()
  })

  test('is for another request with another int64, however large', () => {
    const [one, other] = [2n ** 63n - 2n, 2n ** 63n - 1n]

    const digests = [one, other].map((categoryId) => keyed({}, { ...body, categoryId })?.request)
    expect(new Set(digests).size).toBe(2)
  })
})

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { DynamoDBDocumentClient } from '../../../infra/bundle/lean-client/lib-dynamodb.ts'
import * as apiKeys from '../../../shared/data/api-keys.ts'
import { dynamodb, withinBudget } from '../../../shared/data/dynamodb.ts'
import * as pets from '../../../shared/data/pets.ts'
import { newApiKey } from '../../../shared/model/api-key.ts'
import { answers, lostAnswer } from '../../support/fault-proxy.ts'
import { always, once, proxy, type StoredPet, storedPets } from './faulty-database.ts'

const newPet = { name: 'Rex', categoryId: 7 }
const { pet: rex } = await pets.create({ ...newPet, status: 'sold' })

beforeEach(() => {
  proxy.counts = {}
})
afterEach(() => {
  always('pass')
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

test('these tests use the lean client of the bundle', () => {
  expect(dynamodb).toBeInstanceOf(DynamoDBDocumentClient)
})

describe('withinBudget', () => {
  test('ends concurrent requests when the work fails', async () => {
    let signal: AbortSignal | undefined

    const work = withinBudget(async ({ abortSignal }) => {
      signal = abortSignal
      throw new Error('One of the queries failed.')
    })

    await expect(work).rejects.toThrow('One of the queries failed.')
    expect(signal?.aborted).toBe(true)
  })

  test('ends nothing when the work succeeds', async () => {
    const signal = await withinBudget(async ({ abortSignal }) => abortSignal)

    expect(signal.aborted).toBe(false)
  })

  test('ends the work after three seconds with a 503', async () => {
    vi.useFakeTimers()
    const end = vi.fn()
    const work = withinBudget(
      ({ abortSignal }) =>
        new Promise((_, reject) => {
          abortSignal.onabort = () => {
            end()
            reject(abortSignal.reason)
          }
        }),
    ).catch((error) => error)

    vi.advanceTimersByTime(2999)
    const early = end.mock.calls.length
    vi.advanceTimersByTime(1)

    expect([early, end.mock.calls.length]).toEqual([0, 1])
    expect(await work).toMatchObject({ status: 503 })
  })
})

describe('a bug is no 503:', () => {
  /** The errors of everything that the service requests from the database, with a key that is not cached. */
  const everyError = async () => {
    const key = newApiKey('local')
    const work = [pets.find(rex.id), pets.list({ limit: 1 }), pets.create(newPet), apiKeys.find(key)]
    return Promise.all(work.map((each: Promise<unknown>) => each.catch((error) => error)))
  }

  test('a table that does not exist', async () => {
    vi.stubEnv('PETS_TABLE', 'Absent')
    vi.stubEnv('API_KEYS_TABLE', 'Absent')

    const expected = expect.objectContaining({ name: 'ResourceNotFoundException', $fault: 'client' })
    expect(await everyError()).toEqual([expected, expected, expected, expected])
  })

  test('a missing right', async () => {
    always(answers.accessDenied)

    const expected = expect.objectContaining({ name: 'AccessDeniedException', $fault: 'client' })
    expect(await everyError()).toEqual([expected, expected, expected, expected])
  })

  test('a value that the SDK cannot send', async () => {
    await expect(pets.find(Number.NaN)).rejects.toThrow('Special numeric value NaN is not allowed')
  })

  test('a setting that is not set', async () => {
    vi.stubEnv('PETS_TABLE', '')

    await expect(pets.find(rex.id)).rejects.toThrow('The environment variable PETS_TABLE is not set.')
  })
})

describe('requests to DynamoDB', () => {
  let requests: { operation: string; body: unknown }[] = []

  beforeEach(() => {
    requests = []
    proxy.faultOf = ({ operation, body }) => {
      requests.push({ operation, body: JSON.parse(body) })
      return 'pass'
    }
  })

  test('a pet is read strongly consistent, so it can be read right after its creation', async () => {
    await pets.find(7)

    const body = { TableName: 'PetStoreLocal-Pets', Key: { id: { N: '7' } }, ConsistentRead: true }
    expect(requests).toEqual([{ operation: 'GetItem', body }])
  })

  test('a reservation is read strongly consistent, so all requests with the key see the same id', async () => {
    const intent = { clientId: 'ann', operation: 'createPet', key: 'order-1742' }
    await pets.create(newPet, intent)
    requests = []

    await pets.create(newPet, intent)

    const reads = requests.filter(({ operation }) => operation === 'GetItem')
    const consistent = (TableName: string) => expect.objectContaining({ TableName, ConsistentRead: true })
    expect(reads.map(({ body }) => body)).toEqual([
      consistent('PetStoreLocal-IdempotencyKeys'),
      consistent('PetStoreLocal-Pets'),
    ])
  })

  test('an API key is read strongly consistent and only by its digest', async () => {
    const key = newApiKey('local')

    await apiKeys.find(key)

    const body = expect.objectContaining({ TableName: 'PetStoreLocal-ApiKeys', ConsistentRead: true })
    expect(requests).toEqual([{ operation: 'GetItem', body }])
    expect(JSON.stringify(requests)).not.toContain(key.slice('pet_local_'.length))
  })

  test('a page is one query per shard, each for one pet more than the page has', async () => {
    await pets.list({ status: 'sold', limit: 3, before: 9 })

    const body = {
      TableName: 'PetStoreLocal-Pets',
      IndexName: 'byStatus',
      KeyConditionExpression: 'statusShard = :shard AND id < :before',
      ExpressionAttributeValues: { ':shard': { S: 'sold#0' }, ':before': { N: '9' } },
      ScanIndexForward: false,
      Limit: 4,
    }
    expect(requests).toEqual([{ operation: 'Query', body }])
  })
})

describe('creates a pet exactly once', () => {
  let before: StoredPet[]

  beforeEach(async () => {
    before = await storedPets()
  })

  /** The pets that this test stored, oldest first. */
  const storedSince = async () => {
    const ids = new Set(before.map(({ id }) => id))
    return (await storedPets()).filter(({ id }) => !ids.has(id)).sort((a, b) => a.id - b.id)
  }
  const stored = (pet: object) => ({ ...pet, creation: expect.any(String), statusShard: 'none#0' })

  test('when the response to each of 20 writes is lost once', async () => {
    const lost = new Set<string>()
    proxy.faultOf = ({ operation, body }) => {
      const isFirst = operation === 'PutItem' && !lost.has(body)
      lost.add(body)
      return isFirst ? lostAnswer : 'pass'
    }
    const newPets = Array.from({ length: 20 }, (_, i) => ({ name: `Rex ${i}`, categoryId: i }))

    const created = []
    for (const each of newPets) created.push((await pets.create(each)).pet)

    expect(created).toEqual(newPets.map((each) => ({ id: expect.any(Number), ...each })))
    const items = await storedSince()
    expect(items).toEqual(created.map(stored))
    expect(new Set(items.map(({ creation }) => creation)).size).toBe(20)
  })

  test.each([
    ['is throttled', { PutItem: answers.throttling }, 0],
    ['exceeds the throughput', { PutItem: answers.throughputExceeded }, 0],
    ['gets an internal server error', { PutItem: answers.internalServerError }, 0],
    ['meets a connection that breaks', { PutItem: 'cut' }, 0],
    ['gets no response', { PutItem: 'silence' }, 0],
    ['loses its response', { PutItem: lostAnswer }, 1],
    ['loses its response, and so does the read after it', { PutItem: lostAnswer, GetItem: lostAnswer }, 2],
  ] as const)('when a write %s', async (_, faults, reads) => {
    once(faults)

    const { pet } = await pets.create(newPet)

    expect(proxy.counts).toEqual({ PutItem: 2, ...(reads && { GetItem: reads }) })
    expect(await storedSince()).toEqual([stored(pet)])
    expect(await pets.find(pet.id)).toEqual(pet)
  })
})

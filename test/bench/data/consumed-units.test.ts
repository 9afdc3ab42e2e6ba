import { expect, test } from 'vitest'
import { unitsOf } from './consumed-units.ts'
import type { Call } from './counting-proxy.ts'
import type { Item } from './item-size.ts'

const environment = { PETS_TABLE: 'Pets', API_KEYS_TABLE: 'Keys', IDEMPOTENCY_KEYS_TABLE: 'Idempotency' }

/** An item of a pet of this size. */
const pet = (bytes: number) => {
  const item = { id: { N: '7' }, statusShard: { S: 'sold#0' }, name: { S: '' } }
  return { ...item, name: { S: 'x'.repeat(bytes - 'id'.length - 2 - 'statusShardsold#0name'.length) } }
}

const put = (TableName: string, Item: Item): Partial<Call> => ({
  operation: 'PutItem',
  sent: { TableName, Item },
})

const get = (ConsistentRead: boolean, found: object): Partial<Call> => ({
  operation: 'GetItem',
  sent: { TableName: 'Pets', ConsistentRead },
  received: found,
})

const query = (...Items: ReturnType<typeof pet>[]): Partial<Call> => ({
  operation: 'Query',
  sent: { TableName: 'Pets' },
  received: { Items },
})

const call = (parts: Partial<Call>): Call => ({
  operation: '',
  status: 200,
  sent: { TableName: 'Pets' },
  received: {},
  ...parts,
})

test.each<[string, Partial<Call>, number]>([
  ['a table and its index', put('Pets', pet(1024)), 2],
  ['each KB that is started, twice', put('Pets', pet(1025)), 4],
  ['no index that it does not get into', put('Pets', { id: { N: '7' } }), 1],
  ['a table that has no index', put('Idempotency', { intent: { S: 'x' } }), 1],
])('a put writes to %s', (_, parts, write) => {
  expect(unitsOf(call(parts), environment)).toEqual({ read: 0, write })
})

test.each<[string, Partial<Call>, number]>([
  ['an item', get(true, { Item: pet(4096) }), 1],
  ['an item of more than 4 KB', get(true, { Item: pet(4097) }), 2],
  ['an item that may be old', get(false, { Item: pet(4096) }), 0.5],
  ['an item that is not there', get(true, {}), 1],
  ['a query, by the size of all that it finds', query(pet(2048), pet(2048)), 0.5],
  ['a query that finds more than 4 KB', query(pet(2048), pet(2049)), 1],
  ['a query that finds nothing', query(), 0.5],
])('a read costs: %s', (_, parts, read) => {
  expect(unitsOf(call(parts), environment)).toEqual({ read, write: 0 })
})

test.each<[string, Partial<Call>, string]>([
  [
    'of a call that failed',
    { ...put('Pets', pet(100)), status: 400 },
    'What a PutItem costs that is answered with 400',
  ],
  ['of another operation', { operation: 'Scan' }, 'What a Scan costs is not known.'],
  ['of a table that is not ours', put('Other', pet(100)), 'There is no table Other.'],
])('guesses nothing %s', (_, parts, message) => {
  expect(() => unitsOf(call(parts), environment)).toThrow(message)
})

import { expect, test } from 'vitest'
import { newLedger, record } from './ledger.ts'
import { type Asked, requestsOf } from './requests.ts'

const ledgerWithOnePet = () => {
  const ledger = newLedger()
  const link = '<http://127.0.0.1:3000/v1/pets?limit=1&cursor=AAF>; rel="next"'
  record(ledger, { operation: 'createPet', status: 201, body: '{"id":7,"name":"Rex","categoryId":1}', link: '' })
  record(ledger, { operation: 'listPets', status: 200, body: '[]', link })
  return ledger
}

const take = (length: number, ledger = ledgerWithOnePet()): Asked[] => {
  const requests = requestsOf(ledger)
  return Array.from({ length }, () => requests.next().value)
}

test('are 80 % lists, 15 % creates and 5 % reads', () => {
  const operations = Map.groupBy(take(1000), ({ operation }) => operation)

  const shares = [...operations].map(([operation, { length }]) => [operation, length])
  expect(Object.fromEntries(shares)).toEqual({ listPets: 800, createPet: 150, getPet: 50 })
})

test('add pets of every status and of none, each with a name of its own, which is written down', () => {
  const ledger = ledgerWithOnePet()

  const pets = take(1000, ledger).flatMap(({ body }) => (body === undefined ? [] : [JSON.parse(String(body))]))

  expect(new Set(pets.map(({ name }) => name))).toEqual(ledger.sent)
  expect(ledger.sent.size).toBe(150)
  expect(new Set(pets.map(({ status }) => status))).toEqual(new Set(['available', 'pending', 'sold', undefined]))
})

test('never give two creates the same idempotency key', () => {
  const keys = take(1000).flatMap(({ headers }) => headers?.['Idempotency-Key'] ?? [])

  expect(keys.length).toBe(50)
  expect(new Set(keys).size).toBe(keys.length)
})

test('read what was created, and nothing before anything was', () => {
  const pathsOf = (requests: Asked[]) =>
    requests.filter(({ operation }) => operation === 'getPet').map(({ path }) => path)

  expect(pathsOf(take(40))).toEqual(['/pets/7', '/pets/7'])
  expect(pathsOf(take(40, newLedger()))).toEqual([])
})

test('list every status with every limit, and go to next pages', () => {
  const paths = new Set(take(1000).flatMap(({ operation, path }) => (operation === 'listPets' ? [path] : [])))

  expect([...paths].filter((path) => path.includes('cursor'))).toEqual(['/pets?limit=1&cursor=AAF'])
  expect(paths.size).toBe(4 * 5 + 1)
})

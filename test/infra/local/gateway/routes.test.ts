import { expect, test } from 'vitest'
import { routeFinder } from '../../../../infra/local/gateway/api-gateway.ts'

const contract = {
  getPet: { method: 'GET', path: '/pets/{petId}' },
  countPets: { method: 'GET', path: '/pets/count' },
  listZones: { method: 'GET', path: '/pets/.zones' },
  feedPet: { method: 'POST', path: '/pets/{petId}/meals' },
  listMeals: { method: 'GET', path: '/pets/{petId}/{list}' },
  countMeals: { method: 'GET', path: '/pets/count/{list}' },
} as const

test.each([
  ['/pets/7', 'getPet', { petId: '7' }],
  ['/pets/count', 'countPets', null],
  ['/pets/.zones', 'listZones', null],
  ['/pets/+zones', 'getPet', { petId: '+zones' }],
  ['/pets/7/meals', 'feedPet', { petId: '7' }],
  ['/pets/7/toys', 'listMeals', { petId: '7', list: 'toys' }],
  ['/pets/count/meals', 'countMeals', { list: 'meals' }],
])(
  'finds the operation of %s wherever it stands: literal parts win over parameters',
  (path, id, pathParameters) => {
    for (const entries of [Object.entries(contract), Object.entries(contract).toReversed()]) {
      const route = routeFinder<string>(Object.fromEntries(entries))(`/v1${path}`)

      expect([Object.values(route?.operations ?? {}), route?.pathParameters]).toEqual([
        [id],
        pathParameters,
      ])
    }
  },
)

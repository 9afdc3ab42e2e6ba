import { expect, test } from 'vitest'
import { pathProblem } from '../../../infra/gateway.ts'
import { routesOf } from '../../../infra/local/api-gateway.ts'
import type { Operation } from '../../../shared/contract.ts'

type Routes = Record<string, Pick<Operation, 'method' | 'path'>>

const contract: Routes = {
  getCat: { method: 'GET', path: '/cats/{catId}' },
  countCats: { method: 'GET', path: '/cats/count' },
  listZones: { method: 'GET', path: '/cats/.zones' },
  feedCat: { method: 'POST', path: '/cats/{catId}/meals' },
  listMeals: { method: 'GET', path: '/cats/{catId}/{list}' },
  countMeals: { method: 'GET', path: '/cats/count/{list}' },
}

test.each([
  ['/v1/cats/7', 'getCat', { catId: '7' }],
  ['/v1/cats/count', 'countCats', null],
  ['/v1/cats/.zones', 'listZones', null],
  ['/v1/cats/+zones', 'getCat', { catId: '+zones' }],
  ['/v1/cats/7/meals', 'feedCat', { catId: '7' }],
  ['/v1/cats/7/toys', 'listMeals', { catId: '7', list: 'toys' }],
  ['/v1/cats/count/meals', 'countMeals', { list: 'meals' }],
])('finds the operation of %s wherever it stands: literal parts win over parameters', (path, id, pathParameters) => {
  for (const entries of [Object.entries(contract), Object.entries(contract).toReversed()]) {
    const route = routesOf<string>(Object.fromEntries(entries))(path)

    expect([Object.values(route?.operations ?? {}), route?.pathParameters]).toEqual([[id], pathParameters])
  }
})

const listCats = { method: 'GET', path: '/cats' } as const
const getCat = { method: 'GET', path: '/cats/{catId}' } as const

test.each<[string, Routes, string | undefined]>([
  ['accepts paths that API Gateway accepts', { ...contract, createCat: { method: 'POST', path: '/cats' } }, undefined],
  [
    'refuses two entries with one method and path',
    { listCats, findCats: listCats },
    'findCats has the method and path of listCats: GET /cats. Change one of them.',
  ],
  [
    'refuses the path of the reference',
    { listDocs: { method: 'GET', path: '/docs' } },
    'listDocs has the method and path of the API reference: GET /docs. Change one of them.',
  ],
  [
    'refuses two names of one parameter',
    { getCat, feedCat: { method: 'POST', path: '/cats/{id}/meals' } },
    'feedCat has the path /cats/{id}/meals, but another path has {catId} after /cats. Use one name.',
  ],
  [
    'refuses characters that API Gateway refuses',
    { getCat: { method: 'GET', path: '/cats/~{catId}' } },
    'getCat has the path /cats/~{catId}, but "~{catId}" is no valid part.',
  ],
])('%s', (_name, routes, problem) => {
  expect(pathProblem(routes)).toBe(problem)
})

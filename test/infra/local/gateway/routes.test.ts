import * as v from 'valibot'
import { expect, test } from 'vitest'
import { contractProblem } from '../../../../infra/contract-problem.ts'
import { routeFinder } from '../../../../infra/local/gateway/api-gateway.ts'
import { Id } from '../../../../shared/model/id.ts'
import { resources } from '../../../../shared/resources.ts'
import { service } from '../../../../shared/service.ts'

type Routes = Parameters<typeof contractProblem>[0]

const contract: Routes = {
  getCat: { method: 'GET', path: '/cats/{catId}' },
  countCats: { method: 'GET', path: '/cats/count' },
  listZones: { method: 'GET', path: '/cats/.zones' },
  feedCat: { method: 'POST', path: '/cats/{catId}/meals' },
  listMeals: { method: 'GET', path: '/cats/{catId}/{list}' },
  countMeals: { method: 'GET', path: '/cats/count/{list}' },
}

test.each([
  ['/cats/7', 'getCat', { catId: '7' }],
  ['/cats/count', 'countCats', null],
  ['/cats/.zones', 'listZones', null],
  ['/cats/+zones', 'getCat', { catId: '+zones' }],
  ['/cats/7/meals', 'feedCat', { catId: '7' }],
  ['/cats/7/toys', 'listMeals', { catId: '7', list: 'toys' }],
  ['/cats/count/meals', 'countMeals', { list: 'meals' }],
])(
  'finds the operation of %s wherever it stands: literal parts win over parameters',
  (path, id, pathParameters) => {
    for (const entries of [Object.entries(contract), Object.entries(contract).toReversed()]) {
      const route = routeFinder<string>(Object.fromEntries(entries))(service.basePath + path)

      expect([Object.values(route?.operations ?? {}), route?.pathParameters]).toEqual([
        [id],
        pathParameters,
      ])
    }
  },
)

const listCats = { method: 'GET', path: '/cats' } as const
const getCat = { method: 'GET', path: '/cats/{catId}' } as const
const meals = { method: 'POST', path: '/cats/{id}/meals' } as const

const book = (location?: `/${string}`) =>
  ({
    method: 'POST',
    path: '/cats/{catId}/book',
    success: { status: 201, body: v.object({ id: Id }), location },
  }) as const

const getToy = { method: 'GET', path: '/cats/{catId}/toys/{toyId}' } as const
const LOST = 'but no operation has that path and one parameter.'

const at = (path: `/${string}`) => ({ cats: { method: 'POST', path } }) as const
const FIRST = 'but {proxy+}, which catches unknown paths, allows no parameter beside it.'
const RESERVED = 'but API Gateway reserves /ping and /sping for its health check.'

test.each<[Routes, string | undefined]>([
  [{ ...contract, createCat: { method: 'POST', path: '/cats' } }, undefined],
  [
    { listCats, findCats: listCats },
    'findCats has the method and path of listCats: GET /cats. Change one of them.',
  ],
  [
    { getCat, meals },
    'meals has the path /cats/{id}/meals, but another path has {catId} after /cats. Use one name.',
  ],
  [at('/openapi.json'), 'cats has the path /openapi.json, but that is the API reference.'],
  [at('/cats/~{catId}'), 'cats has the path /cats/~{catId}, but "~{catId}" is no valid part.'],
  [at('/cats/'), 'cats has the path /cats/, but "" is no valid part.'],
  [at('/{store}'), `cats has the path /{store}, ${FIRST}`],
  [at('/ping'), `cats has the path /ping, ${RESERVED}`],
  [at('/sping/{host}'), `cats has the path /sping/{host}, ${RESERVED}`],
  [at('/cats/ping'), undefined],
  [{ getCat, book: book() }, undefined],
  [{ getCat, book: book('/cats') }, undefined],
  [{ getToy, book: book('/cats/{catId}/toys') }, undefined],
  [{ getCat, book: book('/dogs') }, `book has the location /dogs, ${LOST}`],
  [{ getToy, book: book('/cats') }, `book has the location /cats, ${LOST}`],
  [
    { getToy, book: book('/cats/{id}/toys') },
    'book has the location /cats/{id}/toys, but its path has no {id}.',
  ],
  [at('/pings'), undefined],
])('says why the paths of a contract would fail in AWS, or lead nowhere: %o', (routes, problem) => {
  expect(contractProblem(routes, resources)).toBe(problem)
})

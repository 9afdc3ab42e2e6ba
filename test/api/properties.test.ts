import fc from 'fast-check'
import { test } from 'vitest'
import { changesBody, invalidBodies, invalidChanges, petBody } from '../fuzz/bodies.ts'
import { checkResponse, prepare } from '../fuzz/checks.ts'
import type { Page } from '../fuzz/headers.ts'
import { invalidQueries, listQuery, unknownId } from '../fuzz/requests.ts'
import { call } from '../support/api.ts'
import type { Sent } from '../support/http.ts'

// Parts of the requests of `npm run fuzz`: those that every deployment must handle alike.

/** Tries all examples, and then `runs` values that are drawn. */
const tries = <T>(runs: number, examples: T[] = []) => ({
  numRuns: examples.length + runs,
  examples: examples.map((example): [T] => [example]),
})

const filled = await prepare(call)

const check = async (request: Sent, expected: { statuses: number[]; wanted?: string; page?: Page }): Promise<void> =>
  checkResponse(await call(request), { ...request, ...expected }, call)

test.each([
  ['adds exactly the pet that it describes', 'POST', '/pets', 201, petBody, invalidBodies],
  ['makes exactly the change that it describes', 'PATCH', '/pets/{fresh}', 200, changesBody, invalidChanges],
] as const)('every body either %s, or is refused', async (_, method, path, success, bodies, invalid) => {
  const headers = { 'Content-Type': 'application/json' }
  await fc.assert(
    fc.asyncProperty(bodies, async ({ body, refused, ...expected }) => {
      // A deeply nested body can be larger than 256 KiB.
      const statuses = { never: [success], maybe: [success, 400, 413], always: [400] }[refused]
      const sent = body === undefined ? {} : { body: Buffer.from(body, 'latin1') }
      await check({ method, path: await filled(path), headers, ...sent }, { ...expected, statuses })
    }),
    tries(10, invalid),
  )
})

test('every query either gets the page that it describes, or a 400', async () => {
  const page = { limit: 20, status: undefined }
  const queries = invalidQueries.map((query) => ({ query, page, refused: 'always' as const }))
  await fc.assert(
    fc.asyncProperty(listQuery, async ({ query, page, refused }) => {
      await check({ path: `/pets?${await filled(query)}` }, { page, statuses: [refused === 'always' ? 400 : 200] })
    }),
    tries(10, queries),
  )
})

test('every id of no pet gets a 404', async () => {
  await fc.assert(
    fc.asyncProperty(unknownId, async (id) => check({ method: 'DELETE', path: `/pets/${id}` }, { statuses: [404] })),
    tries(20),
  )
})

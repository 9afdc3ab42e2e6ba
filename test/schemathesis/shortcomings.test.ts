import { expect, test } from 'vitest'
import { operationIds } from '../../shared/contract.ts'
import { type Report, shortcomingsOf } from './shortcomings.ts'

const success = { status: 'success' }
const sufficient: Report = {
  complete: true,
  operations: { tested: operationIds.length },
  phases: { examples: success, coverage: success, fuzzing: success, stateful: success },
  test_cases: { generated: 2000 },
  valid_rates: {
    'GET /pets': { coverage: { accepted: 1 }, fuzzing: { accepted: 99 } },
    'POST /pets': { fuzzing: { accepted: 100 } },
  },
}

test.each<[Partial<Report>, string[]]>([
  [{}, []],
  [{ complete: false }, ['The run was not completed.']],
  [{ operations: { tested: 1 } }, ['Only 1 operations were tested.']],
  [{ phases: { ...sufficient.phases, stateful: { status: 'skip' } } }, ['The phase stateful did not run.']],
  [{ test_cases: { generated: 1999 } }, ['There were 1999 test cases, fewer than 2000.']],
  [
    { valid_rates: { ...sufficient.valid_rates, 'GET /pets': { fuzzing: { accepted: 99 } } } },
    ['GET /pets accepted 99 requests, fewer than 100.'],
  ],
])('a sufficient report with %j has these shortcomings: %j', (difference, shortcomings) => {
  expect(shortcomingsOf({ ...sufficient, ...difference })).toEqual(shortcomings)
})

import { expect, test } from 'vitest'
import { operationIds } from '../../shared/contract.ts'
import { type Report, shortcomingsOf } from './shortcomings.ts'

const success = { status: 'success' }
const good: Report = {
  complete: true,
  operations: { tested: operationIds.length },
  phases: { examples: success, coverage: success, fuzzing: success, stateful: success },
  test_cases: { generated: 2000 },
  valid_rates: {
    'GET /pets': { coverage: { accepted: 1 }, fuzzing: { accepted: 99 } },
    'POST /pets': { fuzzing: { accepted: 100 } },
  },
}

test('a run that tried enough lacks nothing', () => {
  expect(shortcomingsOf(good)).toEqual([])
})

test.each<[string, Partial<Report>]>([
  ['The run was not completed.', { complete: false }],
  ['Of the operations, 1 were tried.', { operations: { tested: 1 } }],
  ['Its phase stateful was left out.', { phases: { ...good.phases, stateful: { status: 'skip' } } }],
  ['1999 cases are too few: it takes 2000.', { test_cases: { generated: 1999 } }],
  [
    'GET /pets took 99 valid requests, too few to tell: it takes 100.',
    { valid_rates: { ...good.valid_rates, 'GET /pets': { fuzzing: { accepted: 99 } } } },
  ],
])('says what a run lacks: %s', (shortcoming, lacking) => {
  expect(shortcomingsOf({ ...good, ...lacking })).toEqual([shortcoming])
})

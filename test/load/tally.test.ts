import { expect, test } from 'vitest'
import { tallyOf } from './tally.ts'

const rex = { id: 1, name: 'Rex', categoryId: 7 }
const tom = { id: 2, name: 'Tom', categoryId: 7 }
const mia = { id: 3, name: 'Mia', categoryId: 7 }

const nothingWrong = { created: 2, found: 2, lost: [], doubled: [], unasked: [], unanswered: 0 }
const run = { sent: new Set(['Rex', 'Tom']), created: [rex, tom] }

test('finds nothing wrong where the catalogue has what was answered', () => {
  expect(tallyOf(run, [tom, rex])).toEqual(nothingWrong)
})

test('allows for a pet that was sent, and not answered', () => {
  expect(tallyOf({ ...run, created: [rex] }, [tom, rex])).toEqual({ ...nothingWrong, created: 1, unanswered: 1 })
  expect(tallyOf({ ...run, created: [rex] }, [rex])).toEqual({ ...nothingWrong, created: 1, found: 1 })
})

test('finds a pet that is lost', () => {
  expect(tallyOf(run, [rex])).toEqual({ ...nothingWrong, found: 1, lost: [tom] })
})

test('finds a pet that is another than was answered', () => {
  expect(tallyOf(run, [rex, { ...tom, categoryId: 8 }])).toEqual({ ...nothingWrong, lost: [tom] })
})

test.each([
  ['added twice', { ...tom, id: 4 }],
  ['listed twice', tom],
  ['another with the same id', { ...rex, id: 2 }],
])('finds a pet that is doubled: %s', (_, again) => {
  expect(tallyOf(run, [rex, tom, again])).toMatchObject({ found: 3, doubled: [again] })
})

test('finds one that is doubled although it was never answered', () => {
  const tally = tallyOf({ ...run, created: [rex] }, [rex, tom, { ...tom, id: 4 }])

  expect(tally).toMatchObject({ lost: [], doubled: [{ ...tom, id: 4 }] })
})

test('finds a pet that nobody sent', () => {
  expect(tallyOf(run, [mia, tom, rex])).toEqual({ ...nothingWrong, found: 3, unasked: [mia] })
})

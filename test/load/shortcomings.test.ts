import { expect, test } from 'vitest'
import type { Run } from './run-load.ts'
import { shortcomingsOf } from './shortcomings.ts'

const speed = { answers: 3000, perSecond: 10, p50: 1, p99: 2, max: 3, failed: 0 }
const part = { seconds: 10, speed, memory: { heap: 100, resident: 1000 } }
const rex = { id: 1, name: 'Rex', categoryId: 7 }

const good: Run = {
  first: part,
  rest: { ...part, seconds: 50, memory: { heap: 120, resident: 1200 } },
  answers: new Map(Object.entries({ 'listPets 200': 80, 'createPet 201': 15, 'getPet 200': 5 })),
  tally: { created: 15, found: 16, lost: [], doubled: [], unasked: [], unanswered: 1 },
  output: '',
}

const grown = (heap: number, resident: number, answers = 3000): Partial<Run> => ({
  first: { ...part, speed: { ...speed, answers } },
  rest: { ...good.rest, memory: { heap, resident } },
})

test('has nothing to say of a run that is as it must be', () => {
  expect(shortcomingsOf(good)).toEqual([])
})

test.each<[string, Partial<Run>, string[]]>([
  ['503', { answers: new Map([...good.answers, ['listPets 503', 2]]) }, ['listPets 503: 2 times.']],
  ['404', { answers: new Map([...good.answers, ['getPet 404', 1]]) }, ['getPet 404: 1 times.']],
  ['no answer', { first: { ...part, speed: { ...speed, failed: 3 } } }, ['No answer at all: 3 times.']],
  ['nothing asked', { answers: new Map() }, ['No listPets 200.', 'No createPet 201.', 'No getPet 200.']],
  [
    'lost',
    { tally: { ...good.tally, lost: [rex] } },
    ['Answered with a 201, and not in the catalogue: 1 pets, such as {"id":1,"name":"Rex","categoryId":7}.'],
  ],
  [
    'doubled',
    { tally: { ...good.tally, doubled: [rex, rex] } },
    ['More than once in the catalogue: 2 pets, such as {"id":1,"name":"Rex","categoryId":7}.'],
  ],
  [
    'never sent',
    { tally: { ...good.tally, unasked: [rex] } },
    ['In the catalogue, and never sent: 1 pets, such as {"id":1,"name":"Rex","categoryId":7}.'],
  ],
  ['a heap that grows', grown(121, 1000), ['The heap has grown to 1.21 times what it was.']],
  ['a process that grows', grown(100, 1210), ['The resident memory has grown to 1.21 times what it was.']],
  ['a heap that grows, after few answers', grown(121, 1000, 2999), ['The heap has grown to 1.21 times what it was.']],
  ['nothing where a process grows after few answers', grown(100, 1210, 2999), []],
])('tells of %s', (_, differs, expected) => {
  expect(shortcomingsOf({ ...good, ...differs })).toEqual(expected)
})

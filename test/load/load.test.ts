import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/command.ts'
import { shortcomingsOf } from './report.ts'
import { type Run, runLoad } from './run-load.ts'

const [rex, tom] = [1, 2].map((id) => ({ id, name: `Pet ${id}`, categoryId: 7 })) as [Pet, Pet]
type Pet = Run['found'][number]

const part = (heap: number, resident: number, { responses = 3000, failed = 0 } = {}) => ({
  seconds: 10,
  speed: { responses, perSecond: 10, p50: 1, p99: 2, max: 3, failed },
  memory: { heap, resident },
})
const responses = new Map(Object.entries({ 'listPets 200': 80, 'createPet 201': 15, 'getPet 200': 5 }))
const ledger = { sent: new Set([rex.name, tom.name]), created: [rex, tom], responses, links: [] }
const run: Run = { first: part(100, 1000), rest: part(120, 1200), ledger, found: [tom, rex], output: '' }
const withLedger = (changes: Partial<Run['ledger']>, found = run.found) => ({
  ledger: { ...ledger, ...changes },
  found,
})

const ONE = '1 pets, such as {"id":2,"name":"Pet 2","categoryId":7}.'
const LOST = `Created with a 201, but missing after the restart: ${ONE}`
const TWICE = `Found more than once: ${ONE}`
const HEAP = 'The heap grew to 1.21 times its size.'
const NONE = ['No listPets 200.', 'No createPet 201.', 'No getPet 200.']

test.each<[string, Partial<Run>, string[]]>([
  ['nothing about a valid run', {}, []],
  ['a pet that is lost', { found: [rex] }, [LOST]],
  ['a pet that was changed', { found: [rex, { ...tom, categoryId: 8 }] }, [LOST]],
  ['a pet that was added twice', withLedger({ created: [rex] }, [rex, { ...tom, id: 4 }, tom]), [TWICE]],
  ['an unknown pet', withLedger({ sent: new Set([rex.name]), created: [rex] }), [`Found, but never sent: ${ONE}`]],
  ['an error', withLedger({ responses: new Map([...responses, ['getPet 404', 2]]) }), ['getPet 404: 2 times.']],
  ['no requests', withLedger({ responses: new Map() }), NONE],
  ['no response', { first: part(100, 1000, { failed: 3 }) }, ['No response: 3 times.']],
  ['heap growth', { rest: part(121, 1000) }, [HEAP]],
  ['resident growth', { rest: part(100, 1210) }, ['The resident memory grew to 1.21 times its size.']],
  ['no resident growth too early', { first: part(100, 1000, { responses: 2999 }), rest: part(121, 1210) }, [HEAP]],
])('reports %s', (_, changes, expected) => {
  expect(shortcomingsOf({ ...run, ...changes })).toEqual(expected)
})

test('a short run loses no pet', async () => {
  const { first, rest, ...kept } = await runLoad(temporaryFolder(), 0.6, 2)

  // The run is too short to judge the memory, and on a busy machine also for each kind of request.
  const shortcomings = shortcomingsOf({ ...kept, first, rest: { ...rest, memory: first.memory } })
  expect(shortcomings.filter((line) => !/^No \w+ 20\d\.$/.test(line))).toEqual([])
  expect(kept.ledger.sent.size).toBeGreaterThan(0)
  expect(rest.memory.resident).toBeGreaterThan(rest.memory.heap)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { atMost } from '../../infra/local/server.ts'
import { headersOf, listAll } from '../infra/local/catalogue.ts'
import { start, temporaryFolder } from '../infra/local/command.ts'
import { send } from '../support/http.ts'
import type { LocalServer } from '../support/server.ts'
import { askUntilTold, crash, type Death, type Wish } from './crashes.ts'
import { isWhole, seed } from './size.ts'

// A create is three writes: its reservation, the pet in the index, and the pet.
const death = fc.record<Death>({
  write: fc.integer({ min: 1, max: 30 }),
  when: fc.constantFrom('before', 'meanwhile', 'after'),
})

test('a pet is one, however often the server dies while it is added', { timeout: 600_000 }, async () => {
  const folder = temporaryFolder()
  const deaths = fc.sample(death, { seed, numRuns: isWhole ? 100 : 6 })

  const wishes = await crash(folder, deaths)
  const before = { told: sum(wishes, ({ told }) => told.length), requests: sum(wishes, ({ requests }) => requests) }
  const server = await start(['--data', folder])
  const turn = atMost(8)
  await Promise.all(wishes.map((wish) => turn(() => askUntilTold(server, wish))))

  const listed = await listAll(server)
  const found = await Promise.all(listed.map(({ id }) => turn(() => read(server, id))))
  const told = wishes.map((wish) => [...new Set(wish.told)])
  if (isWhole) {
    console.table({
      kills: deaths.length,
      creates: wishes.length,
      'requests before the last start': before.requests,
      'sent again after a kill': before.requests - wishes.length,
      'answered 201 before the last start': before.told,
      lost: told.flat().filter((text) => !found.includes(text)).length,
      doubled: listed.length - wishes.length,
    })
  }
  expect(told.map((texts) => texts.length)).toEqual(wishes.map(() => 1))
  expect(found.sort()).toEqual(told.flat().sort())
  expect(wishes.length).toBeGreaterThan(deaths.length)
})

const read = async (server: LocalServer, id: number, most = 10): Promise<string> => {
  const { status, text } = await send(server.baseUrl, { path: `/pets/${id}`, headers: headersOf(server) })
  return status === 503 && most > 1 ? read(server, id, most - 1) : text
}

const sum = (wishes: Wish[], count: (wish: Wish) => number): number =>
  wishes.reduce((total, wish) => total + count(wish), 0)

import { afterAll, describe, expect, test } from 'vitest'
import { casesOf } from './cases.ts'
import { startContainer } from './container.ts'
import { expectOnce } from './expect-once.ts'
import { faultKinds } from './fault-kinds.ts'
import { listAll } from './list-all.ts'
import { report } from './report.ts'
import { runCase } from './run-case.ts'
import { storedPets } from './stored.ts'
import { ways } from './ways.ts'

const unhandled: unknown[] = []
process.on('unhandledRejection', (reason) => unhandled.push(reason))
afterAll(() => {
  report.print()
  expect(unhandled).toEqual([])
})

test.each(Object.entries(ways))('a create %s asks no more of the database than it must', async (title, way) => {
  const { calls, creates } = await runCase({ title, way, fault: 'pass', overcome: 0, from: 1, times: 0 })

  expect(creates[0]?.response.status).toBe(201)
  expect(calls).toEqual(way.calls)
})

describe.concurrent('one pet is made, whichever calls meet', { timeout: 300_000 }, () => {
  test.each(Object.entries(faultKinds))('%s', async (title, kind) => {
    const ran = await Promise.all(casesOf(title, kind).map(runCase))

    const stored = await storedPets()
    report.add(title, ran, stored)
    for (const each of ran) expectOnce(each, stored)
  })
})

test('all of these pets are listed, each once', async () => {
  const listed = await listAll(await startContainer())

  const stored = await storedPets()
  const pets = stored.map(({ id, name, categoryId, status }) => ({ id, name, categoryId, status }))
  expect(listed).toEqual(pets.sort((a, b) => b.id - a.id))
})

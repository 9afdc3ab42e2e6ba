import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { limits } from './limits.ts'
import { outcomes } from './outcomes.ts'
import { picture } from './picture.ts'
import { report } from './report.ts'

const simulated = outcomes()
const committed = readFileSync(new URL('scale.svg', import.meta.url), 'utf8')

/** The simulation draws ids, so it is off by less than one in a hundred. */
const expectNear = (actual: number, expected: number): void =>
  expect(Math.abs(actual - expected)).toBeLessThan(Math.max(1, expected / 100))

test.each(simulated)('$shards × 1,000 creates a second of one status are served', ({ shards, creates }) => {
  const { sent, served, refused } = creates.oneWithoutQuota

  expect(sent).toBe(2000 * shards)
  expectNear(served, 1000 * shards)
  expectNear(refused, 1000 * shards)
})

test.each(simulated)('… within the quota, and four times that of every status: $shards', ({ shards, creates }) => {
  expectNear(creates.one.served, Math.min(1000 * shards, limits.quota))
  expectNear(creates.all.served, Math.min(4000 * shards, limits.quota))
})

test.each(simulated)('ids spread evenly: none of $shards shards is full before the others', ({ creates, pages }) => {
  for (const { refusedBelow } of [...Object.values(creates), ...Object.values(pages)]) expectNear(refusedBelow, 0)
})

test.each(simulated)('6,000 first pages a second of $shards shards are served', ({ pages }) => {
  expectNear(pages.oneWithoutQuota.served, 6000)
})

test.each(simulated)('… as far as half a unit of each shard is within the quota: $shards', ({ shards, pages }) => {
  expectNear(pages.one.served, Math.min(6000, limits.quota / (shards / 2)))
  expectNear(pages.all.served, Math.min(6000, limits.quota / (4 * (shards / 2))))
})

test('the picture in README is the one of the simulation: `npm run bench -- --scale` draws it', () => {
  expect(committed).toBe(picture(simulated))
})

test('it is small', () => {
  expect(committed.length).toBeLessThan(10_000)
})

test('the tables have a line for each number of shards', () => {
  const lines = report(simulated).split('\n')

  expect(lines).toContain('     1       2,000     1,000     1,000       (0)     8,000     4,000     4,000       (0)')
  expect(lines).toContain('    64      12,000     1,250    10,800       (0)    12,000       313    11,700       (0)')
  expect(lines.filter((line) => /^ +\d+ .*\(\d+\)$/.test(line))).toHaveLength(3 * 7)
})

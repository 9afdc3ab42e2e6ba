import { expect, test } from 'vitest'
import { atMost } from '../../../infra/local/server.ts'

/** Work that goes on until it is told to end. */
const controlled = () => {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  return { work: () => promise, end: resolve, fail: reject }
}

test('lets so many go on at once, and the others in the order in which they came', async () => {
  const turn = atMost(2)
  const started: number[] = []
  const works = [0, 1, 2, 3].map(() => controlled())
  const results = works.map(({ work }, i) =>
    turn(() => {
      started.push(i)
      return work()
    }),
  )

  expect(started).toEqual([0, 1])
  works[1]?.end('one')
  await results[1]
  await expect.poll(() => started).toEqual([0, 1, 2])
  works[0]?.end('zero')
  await expect.poll(() => started).toEqual([0, 1, 2, 3])
  works[2]?.end('two')
  works[3]?.end('three')
  expect(await Promise.all(results)).toEqual(['zero', 'one', 'two', 'three'])
})

test('gives the place of work that failed to the next', async () => {
  const turn = atMost(1)
  const broken = controlled()
  const first = turn(broken.work)
  const second = turn(async () => 'second')

  broken.fail(new Error('broken'))

  await expect(first).rejects.toThrow('broken')
  expect(await second).toBe('second')
  expect(await turn(async () => 'third')).toBe('third')
})

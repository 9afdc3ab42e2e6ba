import { expect, test } from 'vitest'
import { isList, runAltered } from './altered-api.ts'

test('passes where nothing is altered', async () => {
  const { passed, lines } = await runAltered(() => undefined, 30)

  expect(passed).toBe(true)
  expect(lines.filter((line) => line.startsWith('✓'))).toHaveLength(12)
  expect(lines.filter((line) => line.startsWith('✗'))).toEqual([])
})

test('takes the other name that API Gateway gives to WWW-Authenticate', async () => {
  const { passed } = await runAltered(({ headers }) => {
    const renamed = [...headers].map(([name, value]): [string, string] => [
      name.replace(/^www-/, 'x-amzn-remapped-www-'),
      value,
    ])
    return { headers: new Headers(renamed) }
  }, 30)

  expect(passed).toBe(true)
})

test('waits for a list that lags, and for an API that is only just deployed', async () => {
  let late = 2
  const { passed } = await runAltered((_, { path }) => {
    if (path === '/pets?limit=1' && late === 2) return { status: 403, body: late-- }
    return isList(path) && late === 1 ? { body: [late--] } : undefined
  }, 30)

  expect(late).toBe(0)
  expect(passed).toBe(true)
})

import { expect, test } from 'vitest'
import { figures } from './figures.ts'
import { type Reach, reachOf } from './reach.ts'

const pages = (pets: string, milliseconds: number[]) =>
  ['first, all', 'first, one status', 'middle, all', 'middle, one status', 'last, all', 'last, one status'].map(
    (kind, i) => [`page of 20 of ${pets} pets, ${kind}`, { page: milliseconds[i] ?? 0 }],
  )

const start = (load: number, call: number) => ({
  load,
  'first call after init': call,
  'load + first call': load + call,
})

const all = [
  ...figures('cold', 'ms', {
    getPet: start(8, 5),
    'listPets, no first read': { load: 12 },
    'createPet, no first read': { load: 10 },
    'getPet, no first read': { load: 8 },
    'stock client': start(60, 20),
    'stock client, module,main': start(40, 25),
    'demo style': start(100, 40),
    'demo style, module,main': start(60, 70),
  }),
  ...figures('cold', 'KB', { listPets: { bundle: 41 }, createPet: { bundle: 201 }, getPet: { bundle: 39 } }),
  ...figures('warm', 'µs', {
    getPet: { p50: 90 },
    'stock document client': { p50: 110 },
    'stock document client, module,main': { p50: 100 },
    'pipeline of getPet, alone': { CPU: 16 },
  }),
  ...figures('data', 'calls', {
    'listPets, one status': { 'calls, warm': 1, 'read units': 0.5 },
    'listPets, all': { 'calls, warm': 4, 'read units': 2 },
    createPet: { 'calls, warm': 1, 'write units': 3 },
    'createPet with Idempotency-Key': { 'calls, warm': 3 },
    getPet: { 'calls, warm': 1, 'read units': 1 },
  }),
  ...figures(
    'data',
    'ms',
    Object.fromEntries([...pages('100', [1, 1, 1, 2, 1, 1]), ...pages('200,000', [1, 1, 1, 1.9, 1.4, 1])]),
  ),
]

const short = ({ measured, result }: Reach) => [measured, result]

test('every goal follows from the figures', () => {
  expect(reachOf(all).map(short)).toEqual([
    [12 / 40, 'aim reached'],
    [13 / 140, 'aim reached'],
    [201, 'not reached'],
    [5 / 25, 'reached'],
    [90 / 100, 'reached'],
    [16, 'not reached'],
    [1, 'reached'],
    [4, 'reached'],
    [1, 'reached'],
    [3, 'not reached'],
    [1, 'reached'],
    [0.5, 'reached'],
    [2, 'reached'],
    [3, 'not reached'],
    [1, 'reached'],
    [1.4, 'not reached'],
  ])
})

test('a goal is not measured where a figure that it needs is missing', () => {
  const unmeasured = reachOf(all.filter(({ of }) => of !== 'stock client, module,main')).filter(
    ({ measured }) => !measured,
  )

  expect(unmeasured).toEqual([
    {
      figure: 'load, slowest function without its first read ÷ stock client',
      atMost: 0.65,
      aim: 0.35,
      result: 'not measured',
    },
    { figure: 'first call after init, getPet ÷ stock client', atMost: 0.35, result: 'not measured' },
  ])
})

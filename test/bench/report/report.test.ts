import { expect, test } from 'vitest'
import { figures, machine } from './figures.ts'
import { report } from './report.ts'

test('shows a table for each part, then the machine, then what is reached', () => {
  const cold = [
    ...figures('cold', 'ms', { getPet: { load: 12.345, CPU: 1234.5 }, express: { load: 5 } }),
    ...figures('cold', 'KB', { getPet: { bundle: 1234.56 } }),
  ]
  const data = figures('data', 'units', { getPet: { 'read units': 0.5 } })
  const reach = [
    { figure: 'load', measured: 0.3333, atMost: 0.65, aim: 0.35, result: 'aim reached' as const },
    { figure: 'calls', atMost: 1, result: 'not measured' as const },
  ]

  expect(report({ machine, figures: [...cold, ...data], reach })).toBe(
    [
      'cold     load, ms  CPU, ms  bundle, KB',
      'getPet       12.3    1,230     1,234.6',
      'express         5',
      '',
      'data    read units',
      'getPet         0.5',
      '',
      '2 cores of Some CPU, 4 GB of memory, Node.js v24.0.0',
      '',
      'reach  measured  at most   aim',
      'load       0.33     0.65  0.35   aim reached',
      'calls                  1        not measured',
      '',
    ].join('\n'),
  )
})

import { assumptions } from './assumptions.ts'
import { limits } from './limits.ts'
import type { Outcome, Outcomes } from './outcomes.ts'

/** What was simulated, as tables. */
export const report = (outcomes: Outcomes): string =>
  [
    'DynamoDB, simulated: requests a second that are sent, served and refused. In brackets: refused where only nine',
    'tenths of what was served are sent.',
    '',
    ...table('Creates, of pets of one status and of every status alike', outcomes, ({ creates }) => [
      creates.one,
      creates.all,
    ]),
    ...table('First pages of 20, of one status and of all', outcomes, ({ pages }) => [pages.one, pages.all]),
    ...table(
      `Creates of one status and pages of one status, with a higher quota than ${count(limits.quota)}`,
      outcomes,
      ({ creates, pages }) => [creates.oneWithoutQuota, pages.oneWithoutQuota],
    ),
    'What this takes for so:',
    '',
    assumptions,
  ].join('\n')

const table = (title: string, outcomes: Outcomes, of: (row: Outcomes[number]) => Outcome[]): string[] => [
  title,
  'shards'.padEnd(8) + ['sent', 'served', 'refused', '', 'sent', 'served', 'refused'].map(cell).join(''),
  ...outcomes.map((row) => String(row.shards).padStart(6).padEnd(8) + of(row).map(cells).join('')),
  '',
]

const cells = ({ sent, served, refused, refusedBelow }: Outcome): string =>
  [count(sent), count(served), count(refused), `(${count(refusedBelow)})`].map(cell).join('')

const cell = (content: string): string => content.padStart(10)

// Three digits tell enough, and a sum of many fractions is a little off.
const count = (number: number): string =>
  Number(Math.max(0, number).toPrecision(3)).toLocaleString('en', { maximumFractionDigits: 0 })

import { inWords } from '../machine.ts'
import { inColumns } from './columns.ts'
import { figureTables } from './figure-tables.ts'
import type { Reach } from './reach.ts'
import type { Run } from './run.ts'

/** A run as tables: its figures, the machine, and what is reached. */
export const report = ({ figures, machine, reach }: Run): string =>
  [figureTables(figures), `${inWords(machine)}\n`, reachTable(reach)].join('\n')

const reachTable = (reach: Reach[]): string =>
  inColumns([
    ['reach', 'measured', 'at most', 'aim', ''],
    ...reach.map(({ figure, measured, atMost, aim, result }) => [
      figure,
      measured?.toLocaleString('en', { maximumFractionDigits: 2 }) ?? '',
      `${atMost}`,
      `${aim ?? ''}`,
      result,
    ]),
  ])

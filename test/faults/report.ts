import type { Ran } from './run-case.ts'
import { isWhole } from './size.ts'
import type { Item } from './stored.ts'

type Counts = Record<'creates' | 'faults' | 'requests' | 'answered 201' | 'answered 503' | 'lost' | 'doubled', number>

const rows: Record<string, Counts> = {}

/** What became of creates, by kind of fault; printed where all are made. */
export const report = {
  add: (kind: string, ran: Ran[], stored: Item[]): void => {
    const petsOf = ({ name }: Ran) => stored.filter((item) => item.name === name).length
    const answered =
      (status: number) =>
      ({ creates }: Ran) =>
        creates.filter(({ response }) => response.status === status)
    rows[kind] = {
      creates: ran.length,
      faults: sum(ran.map(({ faults }) => faults)),
      requests: ran.flatMap(({ creates }) => creates).length,
      'answered 201': ran.flatMap(answered(201)).length,
      'answered 503': ran.flatMap(answered(503)).length,
      lost: ran.filter((each) => answered(201)(each).length > 0 && petsOf(each) === 0).length,
      doubled: ran.filter((each) => petsOf(each) > 1).length,
    }
  },
  print: (): void => {
    if (isWhole) console.table(rows)
  },
}

const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0)

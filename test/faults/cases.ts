import type { FaultKind } from './fault-kinds.ts'
import type { Case } from './run-case.ts'
import { isWhole } from './size.ts'
import { ways } from './ways.ts'

/** A kind of fault at each call of each way to create a pet. */
export const casesOf = (kind: string, faultKind: FaultKind): Case[] =>
  Object.entries(ways).flatMap(([name, way]) =>
    way.calls.flatMap((call, i) =>
      timesOf(faultKind).map((times) => ({
        ...faultKind,
        title: `${times} times ${kind}, from call ${i + 1} (${call}) of a create ${name}`,
        way,
        from: i + 1,
        times,
      })),
    ),
  )

const WITHOUT_END = 1000

/** Once; as often as the SDK retries a call; as often as it makes it; and until a client gives up. */
const timesOf = ({ fault }: FaultKind): number[] => (isWhole && fault !== 'refuse' ? [1, 2, 3, WITHOUT_END] : [1])

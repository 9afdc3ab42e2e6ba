import type { Call, Fault } from '../support/fault-proxy.ts'
import type { Container } from './container.ts'
import type { Case } from './run-case.ts'

/** What was asked of the database while a fault was there, such as `PutItem Pets`, and how often the fault was met. */
export type Met = { calls: string[]; faults: number }

/** Lets calls meet a fault, until the function that is returned is called. */
export const meetFault = ({ proxy }: Container, { fault, from, times, way }: Case): (() => Promise<Met>) => {
  const meanwhile = way.meanwhile?.()
  const met: Met = { calls: [], faults: 0 }
  let isOver = false
  let refused: Promise<void> | undefined
  proxy.faultOf = async (call: Call): Promise<Fault> => {
    await meanwhile?.(call)
    if (isOver) return 'pass'
    const number = met.calls.push(nameOf(call))
    if (number < from || number >= from + times) return 'pass'
    met.faults++
    if (fault !== 'refuse') return fault
    refused ??= proxy.refuse()
    return 'cut'
  }
  return async () => {
    isOver = true
    await refused?.then(proxy.accept)
    return met
  }
}

const nameOf = ({ operation, body }: Call): string =>
  `${operation} ${JSON.parse(body).TableName.replace('PetStoreLocal-', '')}`

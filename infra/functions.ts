// What the functions may do and what they get, in AWS and on a developer's machine.

import { type Right, type TableId, tableIds, tables } from '../shared/data/tables.ts'
import type { Entry } from '../shared/pipeline/entry.ts'

/** The actions that a function may do with the items of a table, or of one of its indexes, as IAM names them. */
export type Permission = { table: TableId; index?: string; actions: readonly string[] }

const ACTIONS = {
  list: [], // It allows to query the indexes.
  read: ['GetItem'],
  create: ['PutItem'],
  change: ['GetItem', 'PutItem'],
  remove: ['GetItem', 'DeleteItem'],
} as const satisfies Record<Right, readonly string[]>

/**
 * What the function of an operation may do with the tables: read API keys, what its contract entry says, and, if it is
 * idempotent, reserve idempotency keys. A transaction needs the actions of its items; one that writes checks the others that
 * it has read.
 */
export const permissions = ({ access, idempotent }: Entry): Permission[] => {
  const granted = tableIds.map((table) => ({ table, rights: [access[table] ?? []].flat() }))
  const writes = idempotent || granted.some(({ rights }) => rights.some((right) => /create|change|remove/.test(right)))
  const ofTable = ({ table, rights }: { table: TableId; rights: Right[] }): Permission[] => {
    const actions = new Set(rights.flatMap((right): readonly string[] => ACTIONS[right]))
    if (writes && actions.has('GetItem')) actions.add('ConditionCheckItem')
    const indexes = rights.includes('list') ? Object.keys(tables[table].indexes) : []
    return [
      ...(actions.size > 0 ? [{ table, actions: [...actions] }] : []),
      ...indexes.map((index) => ({ table, index, actions: ['Query'] })),
    ]
  }
  return [
    { table: 'apiKeys', actions: ['GetItem'] },
    ...granted.flatMap(ofTable),
    ...(idempotent ? [{ table: 'idempotencyKeys', actions: ['GetItem', 'PutItem'] } as const] : []),
  ]
}

/** Time limit and memory of every function. The local server applies the time limit too. */
export const functionSettings = {
  // DynamoDB gets at most 3 s for the key check and 3 s for the operation; then the function returns a 503. Lambda's own
  // time limit, whose response has no Error body, must not end a function before that, even after a slow cold start.
  timeoutSeconds: 10,
  // Lambda allots CPU in proportion to memory (one vCPU at 1,769 MB), and a cold start needs only CPU. A warm request
  // mostly waits and takes about 10 ms, for which the memory costs less than Lambda's charge for the request itself.
  memoryMegabytes: 1024,
} as const

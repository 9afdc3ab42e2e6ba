// What the functions may do, and for how long, in AWS and locally.
import { type Permission, type TableId, tableIds, tables } from '../../shared/data/tables.ts'
import { takesIdempotencyKey } from '../../shared/pipeline/by-method.ts'
import type { AnyEntry } from '../../shared/pipeline/entry.ts'

/** What a function may do with a table, or with one of its indexes: actions as IAM names them. */
export type TableActions = { table: TableId; index?: string; actions: readonly string[] }

const ACTIONS = {
  list: [], // Its Query is allowed on the indexes, below.
  read: ['GetItem'],
  create: ['PutItem'],
  change: ['GetItem', 'PutItem'],
  remove: ['GetItem', 'DeleteItem'],
} as const satisfies Record<Permission, readonly string[]>

/**
 * What a function may do with tables: read API keys and what its entry says. One that writes also
 * checks what it has only read, and stores responses under idempotency keys.
 */
export const tableActions = (entry: AnyEntry): TableActions[] => {
  const allowed: TableActions[] = [{ table: 'apiKeys', actions: ['GetItem'] }]
  for (const table of tableIds) {
    const permissions = [entry.access[table] ?? []].flat()
    const actions = new Set(permissions.flatMap((each): readonly string[] => ACTIONS[each]))
    if (takesIdempotencyKey(entry) && actions.has('GetItem')) actions.add('ConditionCheckItem')
    if (actions.size > 0) allowed.push({ table, actions: [...actions] })
    if (!permissions.includes('list')) continue
    for (const index of Object.keys(tables[table].indexes))
      allowed.push({ table, index, actions: ['Query'] })
  }
  if (takesIdempotencyKey(entry))
    allowed.push({ table: 'idempotencyKeys', actions: ['GetItem', 'PutItem'] })
  return allowed
}

/** Time limit and memory of every function. The local server applies the time limit too. */
export const functionSettings = {
  // After 3 s for the key check and 3 s for the operation, the function returns a 503. The timeout
  // of Lambda, which has no Error body, must come later, even after a slow cold start.
  timeoutSeconds: 10,
  // CPU grows with memory (one vCPU at 1,769 MB), and a cold start needs CPU. A warm request takes
  // about 10 ms, for which the memory costs less than Lambda's charge for the request itself.
  memoryMegabytes: 1024,
} as const

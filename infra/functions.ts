// What the functions may do and what they get, in AWS and on a developer's machine.

import type { Access } from '../shared/data/tables.ts'
import type { Entry } from '../shared/entry.ts'

/**
 * What the function of an operation may do with the tables: read API keys, what its contract entry says, and, if it is
 * idempotent, reserve idempotency keys.
 */
export const accessOf = ({ access, idempotent }: Entry): Access[] => [
  { table: 'apiKeys', actions: ['GetItem'] },
  ...access,
  ...(idempotent ? [{ table: 'idempotencyKeys', actions: ['GetItem', 'PutItem'] } as const] : []),
]

/** Time limit and memory of every function. The local server applies the time limit too. */
export const functionSettings = {
  // DynamoDB gets at most 3 s for the key check and 3 s for the operation; then the function returns a 503. Lambda's own
  // time limit, whose response has no Error body, must not end a function before that, even after a slow cold start.
  timeoutSeconds: 10,
  // Lambda allots CPU in proportion to memory (one vCPU at 1,769 MB), and a cold start needs only CPU. A warm request
  // mostly waits and takes about 10 ms, for which the memory costs less than Lambda's charge for the request itself.
  memoryMegabytes: 1024,
} as const

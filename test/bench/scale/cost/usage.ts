import { functionSettings } from '../../../../infra/gateway.ts'

/** What one request uses. */
export const usage = {
  /** Gigabyte seconds of Lambda, at 10 ms. */
  gigabyteSeconds: (functionSettings.memoryMegabytes / 1024) * 0.01,
  /** Bytes of log: of the function, and of the API. */
  functionLog: 1000,
  accessLog: 500,
  /** How many are traced, beside the first of each second. */
  traced: 0.05,
  /** Bytes of a request and its answer, headers included: those of a page of 20. */
  transferred: 3000,
  /** Seconds of CPU in a container: the local server's, which are front, handler and log. */
  cpu: 0.001,
} as const

/** Read and write units of DynamoDB, with one shard. */
export const units = {
  listOne: { read: 0.5, write: 0, words: '½ read' },
  listAll: { read: 4 * 0.5, write: 0, words: '4 × ½' },
  create: { read: 0, write: 2, words: '2 writes' },
  read: { read: 1, write: 0, words: '1 read' },
} as const

/** What clients send, of one. */
export const mix = { listOne: 0.8, listAll: 0, create: 0.05, read: 0.15 } as const satisfies Record<
  keyof typeof units,
  number
>

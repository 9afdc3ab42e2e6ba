/** What DynamoDB takes; where that is from, see `assumptions.ts`. */
export const limits = {
  /** Units a second of one partition. */
  partition: { write: 1000, read: 3000 },
  /** Units a second of a table, and of each of its indexes, until AWS is asked for more. */
  quota: 40_000,
  /** How many seconds of unused throughput a partition keeps for later. */
  burstSeconds: 300,
  /** Partitions of a new table on demand, or of an index: 4,000 writes and 12,000 reads a second. */
  firstPartitions: 4,
  /** In how many seconds a partition has to refuse something before it is split. AWS does not tell. */
  secondsBeforeSplit: 10,
} as const

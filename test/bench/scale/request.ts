import type { Bucket } from './bucket.ts'
import type { Keyspace } from './keyspace.ts'
import type { Kind } from './partition.ts'
import type { Position } from './position.ts'

/** What a request needs of DynamoDB. It is served in whole or not at all. */
export type Request = { keyspace: Keyspace; kind: Kind; position: Position; units: number }[]

/** Serves as many of `count` requests that are alike as there is throughput for, and tells how many. */
export const serve = (request: Request, count: number): number => {
  const buckets: Bucket[] = []
  for (const { keyspace, kind, position, units } of request) {
    for (const bucket of keyspace.touch(kind, position)) {
      bucket.ask(units * count)
      buckets.push(bucket)
    }
  }
  let share = 1
  for (const bucket of buckets) share = Math.min(share, bucket.share())
  for (const bucket of buckets) bucket.take(share)
  return count * share
}

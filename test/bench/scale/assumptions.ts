import { limits } from './limits.ts'

const { partition, quota, burstSeconds, firstPartitions, secondsBeforeSplit } = limits
const count = (number: number): string => number.toLocaleString('en')
const DOCS = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide'
const BLOG = 'https://aws.amazon.com/blogs/database/part-3-scaling-dynamodb-how-partitions-hot-keys-and-split-for-heat'

/** What the simulation takes for so, and from where. */
export const assumptions = `- A partition takes ${count(partition.write)} write and ${count(partition.read)} read units a second, and a key never more than its partition.
  ${DOCS}/bp-partition-key-design.html
- A table on demand and its index begin with ${firstPartitions} partitions each: 4,000 writes, 12,000 reads a second.
  ${DOCS}/on-demand-capacity-mode.html
- ${burstSeconds} s of unused throughput are kept and used. AWS promises none, so what is shown is what is left without.
  ${DOCS}/burst-adaptive-capacity.html
- A partition that refused requests in ${secondsBeforeSplit} seconds is split, in the middle of its latest requests. How long that takes in
  AWS is not documented; it says how soon a figure is reached, not which. AWS does not split where ids only rise, since
  nothing is won by it. Here it is tried all the same, and nothing is won.
  ${BLOG}-impact-performance/
- A table takes ${count(quota)} units a second, and each index as many, until AWS is asked for more.
  ${DOCS}/ServiceQuotas.html
- Ids and shards are made by the code that is deployed. A create is 1 unit of the table and 1 of the index, a page half
  a unit of each shard. Pages are all first ones, which is the worst case: they all read the same end of each shard.
- Creates and pages come one without the other. (Where both come to one partition, AWS says in one place that each has
  its own limit, in another that they share it.) Not simulated: other traffic, retries, and that a partition is slow.
`

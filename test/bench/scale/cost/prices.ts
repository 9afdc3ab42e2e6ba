/** A price that falls with the amount: up to so much, so much each. */
export type Tiers = readonly (readonly [upTo: number, each: number])[]

/** AWS's list prices in us-east-1, in US dollars; per million requests or units, GB, or hour. README has the sources. */
export const prices = {
  restApi: [
    [333, 3.5],
    [1000, 2.8],
    [20_000, 2.38],
    [Number.POSITIVE_INFINITY, 1.51],
  ],
  httpApi: [
    [300, 1],
    [Number.POSITIVE_INFINITY, 0.9],
  ],
  lambdaRequests: 0.2,
  lambdaGigabyteSecond: 0.0000133334,
  read: 0.125,
  write: 0.625,
  log: 0.5,
  lambdaLog: [
    [10_000, 0.5],
    [30_000, 0.25],
    [50_000, 0.1],
    [Number.POSITIVE_INFINITY, 0.05],
  ],
  trace: 5,
  alarmMetrics: 3.4,
  fargate: { cpuHour: 0.03238, gigabyteHour: 0.00356 },
  loadBalancer: { hour: 0.0225, capacityHour: 0.008 },
  addressHour: 0.005,
} as const satisfies Record<string, number | Tiers | Record<string, number>>

/** What so much costs. */
export const tiered = (amount: number, tiers: Tiers): number => {
  let sum = 0
  let from = 0
  for (const [upTo, each] of tiers) {
    sum += Math.max(0, Math.min(amount, upTo) - from) * each
    from = upTo
  }
  return sum
}

import { limits } from './limits.ts'
import { type Load, simulate } from './simulate.ts'
import { creates, firstPages, type Traffic, type Whose } from './traffic.ts'
import { withSeed } from './with-seed.ts'
import { withShards } from './with-shards.ts'

/** Requests a second: sent, served and refused; and refused when only nine tenths of what was served are sent. */
export type Outcome = { sent: number; served: number; refused: number; refusedBelow: number }

/** What deployments with so many shards reach: with the quota that every account has, and of one status without it. */
export type Outcomes = { shards: number; creates: Reached; pages: Reached }[]
export type Reached = { one: Outcome; all: Outcome; oneWithoutQuota: Outcome }

/** Simulates all of them, in some seconds. */
export const outcomes = (): Outcomes =>
  [1, 2, 4, 8, 16, 32, 64].map((shards) => ({
    shards,
    creates: reached((whose, quota) => createsReached(shards, whose, quota)),
    pages: reached((whose, quota) => pagesReached(shards, whose, quota)),
  }))

/** How many creates a second are served where twice of what the shards take is sent, for six minutes. */
const createsReached = (shards: number, whose: Whose, quota: number): Outcome => {
  const keys = shards * (whose === 'all' ? 4 : 1)
  const load = { perSecond: 2 * limits.partition.write * keys, seconds: 6 * 60 }
  return withShards(shards, () => outcome(creates(whose, quota), load))
}

/** How many first pages a second are served where twice of what one shard takes is sent, for half an hour. */
const pagesReached = (shards: number, whose: Whose, quota: number): Outcome => {
  const load = { perSecond: 2 * 2 * limits.partition.read, seconds: 30 * 60 }
  return withShards(shards, () => outcome(firstPages(whose, quota), load))
}

const reached = (of: (whose: Whose, quota: number) => Outcome): Reached => ({
  one: of('one status', limits.quota),
  all: of('all', limits.quota),
  oneWithoutQuota: of('one status', Number.POSITIVE_INFINITY),
})

const outcome = (traffic: Traffic, load: Load): Outcome =>
  withSeed(1, () => {
    const served = simulate(traffic, load)
    const perSecond = 0.9 * served
    const refusedBelow = perSecond - simulate(traffic, { perSecond, seconds: 6 * 60 })
    return { sent: load.perSecond, served, refused: load.perSecond - served, refusedBelow }
  })

import { serve } from './request.ts'
import type { Traffic } from './traffic.ts'

/** So many requests a second, for so many seconds. */
export type Load = { perSecond: number; seconds: number }

/** Over how many seconds at the end is measured. */
const MEASURED_SECONDS = 180

let clock = Date.UTC(2030, 0, 1)

/** Serves a load, and tells how many requests a second were served in the end. */
export const simulate = ({ keyspaces, samples, request }: Traffic, { perSecond, seconds }: Load): number => {
  let served = 0
  for (let second = 0; second < seconds; second++) {
    // Ids go by the clock and never back, so from one simulation to the next it goes on.
    clock += 1000
    for (const keyspace of keyspaces) keyspace.nextSecond()
    if (second === seconds - MEASURED_SECONDS) served = 0
    for (let sample = 0; sample < samples; sample++)
      served += serve(request(clock + Math.floor((1000 * sample) / samples), sample), perSecond / samples)
  }
  return served / Math.min(seconds, MEASURED_SECONDS)
}

import { prices, tiered } from './prices.ts'
import { mix, units, usage } from './usage.ts'

const HOURS = 730

/** What a month costs at so many requests a second, in US dollars: what is deployed, an HTTP API, and a container. */
export const monthCost = (perSecond: number) => {
  const millions = (perSecond * HOURS * 3600) / 1e6
  const traced = Math.min(perSecond, 1 + usage.traced * (perSecond - 1)) / perSecond
  const dynamodb = millions * unitCost()
  const rest = {
    api: tiered(millions, prices.restApi),
    lambda: millions * (prices.lambdaRequests + usage.gigabyteSeconds * prices.lambdaGigabyteSecond * 1e6),
    dynamodb,
    logs:
      tiered((millions * usage.functionLog) / 1000, prices.lambdaLog) +
      (millions * usage.accessLog * prices.log) / 1000,
    traces: millions * traced * prices.trace,
    alarms: prices.alarmMetrics,
  }
  const container = {
    ...containerCost(perSecond),
    other: dynamodb + (millions * usage.accessLog * prices.log) / 1000 + prices.alarmMetrics,
  }
  const http = { ...rest, api: tiered(millions, prices.httpApi) }
  return { rest, http, container }
}

/** The tasks of a container: half of the CPU is kept free for peaks, and two run in any case. */
export const tasksFor = (perSecond: number): { count: number; cpu: number; gigabytes: number } => {
  const cpu = (perSecond * usage.cpu) / 0.5
  return cpu <= 0.5
    ? { count: 2, cpu: 0.25, gigabytes: 0.5 }
    : { count: Math.max(2, Math.ceil(cpu)), cpu: 1, gigabytes: 2 }
}

/** The sum of parts. */
export const together = (parts: Record<string, number>): number => Object.values(parts).reduce((a, b) => a + b)

const containerCost = (perSecond: number): { tasks: number; balancer: number } => {
  const { count, cpu, gigabytes } = tasksFor(perSecond)
  // A unit of the load balancer's capacity is 1 GB an hour. It has an address in each of two zones, and so has each task.
  const capacity = (perSecond * usage.transferred * 3600) / 1e9
  const { cpuHour, gigabyteHour } = prices.fargate
  return {
    tasks: count * (cpu * cpuHour + gigabytes * gigabyteHour + prices.addressHour) * HOURS,
    balancer: (prices.loadBalancer.hour + capacity * prices.loadBalancer.capacityHour + 2 * prices.addressHour) * HOURS,
  }
}

const unitCost = (): number =>
  (Object.keys(units) as (keyof typeof units)[]) // `Object.keys` types them as any string.
    .map((operation) => mix[operation] * (units[operation].read * prices.read + units[operation].write * prices.write))
    .reduce((a, b) => a + b)

import { monthCost, tasksFor, together } from './month-cost.ts'

/** What a month costs at 1, 100 and 10,000 requests a second: the table of README. */
export const monthTable = (): string[][] => {
  const months = RATES.map(monthCost)
  const row = (name: string, of: (month: (typeof months)[number]) => number): string[] => [
    name,
    ...months.map((month) => dollars(of(month))),
  ]
  const tasks = RATES.map(tasksFor).map(({ count, cpu }) => `${count} × ${cpu}`)
  return [
    ['requests a second', ...RATES.map(count)],
    row('API Gateway, REST', ({ rest }) => rest.api),
    row('Lambda', ({ rest }) => rest.lambda),
    row('DynamoDB', ({ rest }) => rest.dynamodb),
    row('CloudWatch Logs', ({ rest }) => rest.logs),
    row('X-Ray', ({ rest }) => rest.traces),
    row('alarms', ({ rest }) => rest.alarms),
    bold(row('together', ({ rest }) => together(rest))),
    bold(row('together, with an HTTP API', ({ http }) => together(http))),
    row(`container: Fargate, ${tasks.join(', ')} vCPU`, ({ container }) => container.tasks),
    row('container: load balancer', ({ container }) => container.balancer),
    row('container: DynamoDB, logs, alarms', ({ container }) => container.other),
    bold(row('container, together', ({ container }) => together(container))),
  ]
}

const RATES = [1, 100, 10_000]

const bold = (row: string[]): string[] => row.map((cell) => `**${cell}**`)
const count = (number: number): string => number.toLocaleString('en')

// Cents mean something only where there are few dollars; of thousands, nobody knows more than three digits.
const dollars = (amount: number): string =>
  amount < 100 ? amount.toFixed(2) : Number(amount.toPrecision(3)).toLocaleString('en')

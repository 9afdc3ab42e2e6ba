import { prices } from './prices.ts'
import { units, usage } from './usage.ts'

type Operation = (typeof units)[keyof typeof units]
type Part = { name: string; costOf: (operation: Operation) => number; words?: (operation: Operation) => string }

/** What a million requests of each operation cost, in US dollars: the table of README. */
export const millionTable = (): string[][] => {
  const operations = Object.values(units)
  const sums = operations.map((each) => parts.reduce((sum, { costOf }) => sum + costOf(each), 0))
  return [
    ['', 'list, one status', 'list, all', 'create', 'read'],
    ...parts.map(({ name, costOf, words }) => [
      name,
      ...operations.map((each) => money(costOf(each)) + (words ? ` (${words(each)})` : '')),
    ]),
    ['**together**', ...sums.map((sum) => `**${money(sum)}**`)],
  ]
}

const money = (dollars: number): string => dollars.toFixed(2)

const [[, restApi]] = prices.restApi
const { lambdaRequests, lambdaGigabyteSecond, read, write, log, trace } = prices
const { gigabyteSeconds, functionLog, accessLog, traced } = usage
const gigabytesOfLog = (functionLog + accessLog) / 1000

const parts: Part[] = [
  { name: `API Gateway, REST: ${money(restApi)} a million`, costOf: () => restApi },
  { name: `Lambda, requests: ${money(lambdaRequests)} a million`, costOf: () => lambdaRequests },
  {
    name: `Lambda, arm64: ${gigabyteSeconds} GB·s × ${lambdaGigabyteSecond.toFixed(10)}`,
    costOf: () => gigabyteSeconds * lambdaGigabyteSecond * 1e6,
  },
  {
    name: `DynamoDB: reads ${read}, writes ${write} a million units`,
    costOf: (operation) => operation.read * read + operation.write * write,
    words: ({ words }) => words,
  },
  { name: `CloudWatch Logs: ${gigabytesOfLog} GB × ${money(log)}`, costOf: () => gigabytesOfLog * log },
  { name: `X-Ray: ${traced * 100} % × ${money(trace)} a million traces`, costOf: () => traced * trace },
]

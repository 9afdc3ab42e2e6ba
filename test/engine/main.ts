import { createHistogram } from 'node:perf_hooks'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { command, runCommand } from '../../infra/command-line.ts'
import { endAfter } from '../support/process.ts'
import { cases, increment, newId, put, withTables, write } from './cases.ts'

const DETAILS = `
It uses the AWS credentials, region and endpoint of the shell. It creates two tables, deletes them
at the end, and costs less than a cent.`

const CALLS = 500

/** Prints how long calls take that are made one after the other. */
const measure = async (name: string, call: () => Promise<unknown>): Promise<void> => {
  const histogram = createHistogram()
  const timed = performance.timerify(call, { histogram })
  for (let i = 0; i < CALLS; i++) await timed()
  // From nanoseconds.
  const [p50, p99] = [50, 99].map((percent) => (histogram.percentile(percent) / 1e6).toFixed(1))
  console.log(`${name}: p50 ${p50} ms, p99 ${p99} ms`)
}

const main = command(
  'npm run test:engine --',
  'Checks the transactions of a DynamoDB, and measures how long they take.',
)
  .addHelpText('after', DETAILS)
  .action(async () => {
    endAfter(10)
    await withTables(new DynamoDBClient({ maxAttempts: 1 }), async (engine) => {
      for (const { rule, check } of cases) {
        await check(engine)
        console.log(rule)
      }
      await measure('PutItem', () => put(engine, { id: newId() }))
      await measure('TransactWriteItems, 1 item', () =>
        write(engine, [increment(engine.first, newId())]),
      )
      const pair = () => [increment(engine.first, newId()), increment(engine.second, newId())]
      await measure('TransactWriteItems, 2 items', () => write(engine, pair()))
    })
  })

await runCommand(main)

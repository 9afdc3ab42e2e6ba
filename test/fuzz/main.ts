import { randomInt } from 'node:crypto'
import { command, run, wholeNumber } from '../../infra/command-line.ts'
import { fuzz } from './fuzz.ts'

const main = command(
  'npm run fuzz --',
  'Sends generated requests to a local server of its own, and checks every response.',
)
  // Fewer requests may not get a response of every status.
  .option('--requests <number>', 'number of requests', wholeNumber(1000, 999_999_999), 20_000)
  .option('--seed <number>', 'repeats the requests of an earlier run (default: random)', wholeNumber(0, 2 ** 31))
  .action(async ({ requests, seed = randomInt(2 ** 31) }) => {
    console.log(`${requests} requests, seed ${seed}`)
    const { statuses, memory } = await fuzz({ requests, seed })
    console.table(statuses)
    console.log(`JavaScript heap and buffers: ${memory.warm} MB after warm-up, ${memory.end} MB at the end`)
    console.log(`Every response is correct (${Math.round(performance.now() / 1000)} s).`)
  })

await run(main)

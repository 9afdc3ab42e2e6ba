import { randomInt } from 'node:crypto'
import { CommandError, fail, readWords } from '../../infra/command-line.ts'
import { fuzz } from './fuzz.ts'

const HELP = `Sends generated requests to a local server of its own, and checks every response.

  npm run fuzz -- [options]

  --requests <number>  number of requests, at least 1000        (default: 20000)
  --seed <number>      repeats the requests of an earlier run   (default: random)
  --help               print this help
`

const options = {
  requests: { type: 'string', default: '20000' },
  seed: { type: 'string', default: `${randomInt(2 ** 31)}` },
  help: { type: 'boolean' },
} as const

const main = async (): Promise<void> => {
  const { requests, seed, help } = readWords({ options }, 'npm run fuzz').values
  if (help) return void process.stdout.write(HELP)
  // Fewer requests may not get a response of every status.
  if (!/^\d{4,9}$/.test(requests))
    throw new CommandError(`--requests must be a number from 1000 to 999999999, not "${requests}".`)
  if (!/^\d{1,10}$/.test(seed)) throw new CommandError(`--seed must be a number of at most 10 digits, not "${seed}".`)

  console.log(`${requests} requests, seed ${seed}`)
  const { statuses, memory } = await fuzz({ requests: Number(requests), seed: Number(seed) })
  console.table(statuses)
  console.log(`JavaScript heap and buffers: ${memory.warm} MB after warm-up, ${memory.end} MB at the end`)
  console.log(`Every response is correct (${Math.round(performance.now() / 1000)} s).`)
}

main().catch(fail)

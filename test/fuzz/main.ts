import { randomInt } from 'node:crypto'
import { CommandError, readWords } from '../../infra/command-line.ts'
import { fuzz, type Plan } from './fuzz.ts'

const help = `Sends generated requests to a local server of its own, and checks every response.

  npm run fuzz -- [options]

  --requests <number>  number of requests, at least 1000        (default: 20000)
  --seed <number>      repeats the requests of an earlier run   (default: random)
  --help               print this help
`

/** The command `npm run fuzz`. */
const main = async (): Promise<void> => {
  const text = { type: 'string' } as const
  const options = { requests: text, seed: text, help: { type: 'boolean' } } as const
  const { values } = readWords({ options }, 'npm run fuzz')
  if (values.help) return void process.stdout.write(help)

  const started = performance.now()
  const plan = planOf(values)
  console.log(`${plan.requests} requests, seed ${plan.seed}`)
  const { statuses, memory } = await fuzz(plan)
  console.table(statuses)
  console.log(`JavaScript heap and buffers: ${memory.warm} MB after warm-up, ${memory.end} MB at the end`)
  console.log(`Every response is correct (${Math.round((performance.now() - started) / 1000)} s).`)
}

const planOf = ({ requests = '20000', seed = `${randomInt(2 ** 31)}` }): Plan => {
  // Fewer requests do not get a response of every status.
  if (!/^\d{4,9}$/.test(requests))
    throw new CommandError(`--requests must be a number from 1000 to 999999999, not "${requests}".`)
  if (!/^\d{1,10}$/.test(seed)) throw new CommandError(`--seed must be a number of at most 10 digits, not "${seed}".`)
  return { requests: Number(requests), seed: Number(seed) }
}

main().catch((error) => {
  console.error(error instanceof CommandError ? error.message : error)
  process.exitCode = 1
})

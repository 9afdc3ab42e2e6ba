import { CommandError, readWords } from '../../infra/command-line.ts'
import { type PartName, partNames, sheets } from './parts.ts'

export const help = `Measures the functions as they are deployed, side by side with others of their kind.

  npm run bench -- [parts] [options]

  parts              what to measure: ${partNames.join(', ')}  (default: all)
  --starts <number>  how often each function is started from cold, 1 to 1000  (default: 31)
  --json             prints { machine, figures, reach } as JSON; npm prints nothing of its own with "npm run -s"
  --compare <file>   shows each figure beside that of a run that was saved with --json
  --bundle           measures nothing, and shows what is in each bundle, by package
  --scale            measures nothing, and simulates what DynamoDB's partitions let through, by number of shards
  --help             print this

The others are installed into test/bench/peers at first. A wrong answer of any of them ends the run. Figures mean
something on a machine that does nothing else.
`

/** What to do: to measure some parts, or to tell something else. */
export type Options = {
  parts: PartName[]
  starts: number
  json: boolean
  compare: string | undefined
  sheets: string[]
}

/** Reads the command line; `undefined` where it asks for help. Throws a CommandError that says what is wrong with it. */
export const readOptions = (args: string[]): Options | undefined => {
  const { values, positionals } = readWords({ args, options, allowPositionals: true }, 'npm run bench')
  const { starts, json, compare, help: wantsHelp, ...others } = values
  if (wantsHelp) return undefined
  if (!/^\d{1,4}$/.test(starts) || Number(starts) < 1 || Number(starts) > 1000)
    throw new CommandError(`--starts takes a whole number from 1 to 1000, not "${starts}".`)
  if (json && compare !== undefined) throw new CommandError('--json and --compare do not go together.')
  const measures = positionals.length > 0 || json || compare !== undefined
  const sheets = Object.keys(others)
  if (measures && sheets.length > 0) throw new CommandError(`--${sheets[0]} measures nothing: leave out all else.`)
  const chosen = positionals.map(partOf)
  const parts = partNames.filter((name) => chosen.length === 0 || chosen.includes(name))
  return { parts, starts: Number(starts), json, compare, sheets }
}

const options = {
  ...Object.fromEntries(Object.keys(sheets).map((name) => [name, { type: 'boolean' as const }])),
  starts: { type: 'string', default: '31' },
  json: { type: 'boolean', default: false },
  compare: { type: 'string' },
  help: { type: 'boolean' },
} as const

const partOf = (word: string): PartName => {
  const name = partNames.find((each) => each === word)
  if (!name) throw new CommandError(`There is no part "${word}", but ${partNames.join(', ')}.`)
  return name
}

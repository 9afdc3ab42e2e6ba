import { settings } from '../../../shared/data/tables.ts'

const NAMES = [settings.readShards, settings.writeShards]

/** Runs something as in a deployment with so many shards. */
export const withShards = <Result>(shards: number, run: () => Result): Result => {
  const before = NAMES.map((name) => [name, process.env[name]] as const)
  for (const name of NAMES) process.env[name] = String(shards)
  try {
    return run()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

/**
 * The settings of functions: the environment variable of each, and its value. A stage with a
 * property of this name (`infra/stages.ts`) sets another one. A `default` is for all stages, a
 * `local` value for laptops only: each stage must have its own.
 */
export const settings = {
  /** The part of an API key that names the stage. */
  keyPrefix: { variable: 'KEY_PREFIX', local: 'local' },
  /** Over how many partitions of its indexes a sharded table is read and written. */
  readShards: { variable: 'READ_SHARDS', default: '1' },
  writeShards: { variable: 'WRITE_SHARDS', default: '1' },
} as const satisfies Record<string, Setting>

export type Setting = { variable: string } & ({ default: string } | { local: string })

export type SettingName = keyof typeof settings

/** The value of a setting. Throws an Error if its variable is not set by the deployment. */
export const setting = (name: SettingName): string => variableValue(settings[name].variable)

/** The value of an environment variable. Throws an Error if it is not set. */
export const variableValue = (variable: string): string => {
  const value = process.env[variable]
  if (!value) throw new Error(`The environment variable ${variable} is not set.`)
  return value
}

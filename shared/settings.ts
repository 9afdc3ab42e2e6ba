/** The settings of functions: the environment variable of each. A stage has their values. */
export const settings = {
  /** The part of an API key that names the stage. */
  keyPrefix: 'KEY_PREFIX',
  /** Over how many shards the items of a collection are read and written. */
  readShards: 'READ_SHARDS',
  writeShards: 'WRITE_SHARDS',
  /** The base address for callers, if a CDN or a proxy gives the API another than its own. */
  publicBaseUrl: 'PUBLIC_BASE_URL',
} as const

type SettingName = keyof typeof settings

/** The value of a setting. Throws an Error if its variable is not set by the deployment. */
export const setting = (name: SettingName): string => variableValue(settings[name])

/** The value of a setting that a deployment may leave out. */
export const optionalSetting = (name: SettingName): string | undefined =>
  process.env[settings[name]] || undefined

/** The value of an environment variable. Throws an Error if it is not set. */
export const variableValue = (variable: string): string => {
  const value = process.env[variable]
  if (!value) throw new Error(`The environment variable ${variable} is not set.`)
  return value
}

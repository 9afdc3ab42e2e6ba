/**
 * What a function is told by its environment. The names stand here alone: for the functions, which read them, and for
 * the stack, the local server and the tests, which set them. (`AWS_ENDPOINT_URL_DYNAMODB` and `AWS_REGION` belong to
 * the AWS SDK.)
 */
export const settings = {
  petsTable: 'PETS_TABLE',
  apiKeysTable: 'API_KEYS_TABLE',
  idempotencyKeysTable: 'IDEMPOTENCY_KEYS_TABLE',
  keyPrefix: 'KEY_PREFIX',
  readShards: 'READ_SHARDS',
  writeShards: 'WRITE_SHARDS',
} as const

/** The value of a setting. Throws where it is not set: then the deployment is wrong, not the request. */
export const setting = (name: keyof typeof settings): string => {
  const value = process.env[settings[name]]
  if (!value) throw new Error(`The environment variable ${settings[name]} is not set.`)
  return value
}

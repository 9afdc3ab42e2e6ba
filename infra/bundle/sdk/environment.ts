// Where a function is, and who it is: Lambda says so in the environment. The SDK would look in many more places.

/** The region that the function runs in. */
export const region = (): string => variable('AWS_REGION')

/** The credentials of the function's role. */
export const credentials = () => ({
  accessKeyId: variable('AWS_ACCESS_KEY_ID'),
  secretAccessKey: variable('AWS_SECRET_ACCESS_KEY'),
  sessionToken: process.env.AWS_SESSION_TOKEN,
})

/** Where DynamoDB is: in the region, if nothing else is said. */
export const endpoint = (): URL => {
  const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL } = process.env
  return new URL(AWS_ENDPOINT_URL_DYNAMODB || AWS_ENDPOINT_URL || `https://dynamodb.${region()}.${domain()}`)
}

const domain = (): string => {
  const named = region()
    .split('-')
    .map((word) => DOMAINS[word])
  return named.find((other) => other !== undefined) ?? 'amazonaws.com'
}

// The partitions of AWS that have another, by the word in the names of their regions (partitions.json of the SDKs).
const DOMAINS: Record<string, string> = {
  cn: 'amazonaws.com.cn',
  eusc: 'amazonaws.eu',
  iso: 'c2s.ic.gov',
  isob: 'sc2s.sgov.gov',
  isoe: 'cloud.adc-e.uk',
  isof: 'csp.hci.ic.gov',
}

const variable = (name: string): string => {
  const value = process.env[name]
  if (!value) throw new Error(`The environment variable ${name} is not set.`)
  return value
}

// What the client reads from its environment. Lambda sets variables; the SDK looks in more places.

/** The address of DynamoDB: the one in the environment, or else that of the region. */
export const endpoint = (): URL =>
  new URL(endpointInEnvironment() || regionalEndpoint(variableValue('AWS_REGION')))

/** Throws an Error if the environment asks for an endpoint such as FIPS, or one with a path. */
export const checkEnvironment = (): void => {
  for (const name of ['AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT'])
    if ((process.env[name] ?? 'false') !== 'false') throw notSupported(name)
  const text = endpointInEnvironment()
  if (!text) return
  const { href, origin } = new URL(text)
  if (href !== `${origin}/`) throw notSupported('an endpoint with a path')
}

/** The value of an environment variable. Throws an Error if it is not set. */
export const variableValue = (name: string): string => {
  const value = process.env[name]
  if (!value) throw new Error(`The environment variable ${name} is not set.`)
  return value
}

/** The error for what only the SDK supports. */
export const notSupported = (what: string): Error =>
  new Error(`The lean DynamoDB client does not support ${what}. Bundle the SDK's client instead.`)

const endpointInEnvironment = () =>
  process.env.AWS_ENDPOINT_URL_DYNAMODB || process.env.AWS_ENDPOINT_URL

const regionalEndpoint = (region: string): string => {
  const partition = region.split('-').find((word) => word in DOMAINS) ?? ''
  return `https://dynamodb.${region}.${DOMAINS[partition] ?? 'amazonaws.com'}`
}

// Partitions with another domain, by a word in the names of their regions.
const DOMAINS: Record<string, string> = {
  cn: 'amazonaws.com.cn',
  eusc: 'amazonaws.eu',
  iso: 'c2s.ic.gov',
  isob: 'sc2s.sgov.gov',
  isoe: 'cloud.adc-e.uk',
  isof: 'csp.hci.ic.gov',
}

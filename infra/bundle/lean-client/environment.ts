// What the SDK finds out about its surroundings. Lambda sets environment variables; the SDK would look in more places.

/** The region of the function. */
export const region = (): string => variable('AWS_REGION')

/** The credentials of the function's role. */
export const credentials = () => ({
  accessKeyId: variable('AWS_ACCESS_KEY_ID'),
  secretAccessKey: variable('AWS_SECRET_ACCESS_KEY'),
  sessionToken: process.env.AWS_SESSION_TOKEN,
})

/** The address of DynamoDB: the one in the environment, with a slash at its end, or else that of the region. */
export const endpoint = (): URL => {
  const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL } = process.env
  const url = new URL(AWS_ENDPOINT_URL_DYNAMODB || AWS_ENDPOINT_URL || `https://dynamodb.${region()}.${domain()}`)
  return Object.assign(url, { pathname: url.pathname.replace(/\/?$/, '/'), search: '' })
}

/** @throws Error if the environment asks for an endpoint of another kind, such as FIPS */
export const checkEnvironment = (): void => {
  for (const name of ['AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT'])
    if ((process.env[name] ?? 'false') !== 'false') throw notSupported(name)
}

/** The error for what only the SDK supports. */
export const notSupported = (what: string): Error =>
  new Error(`The lean DynamoDB client does not support ${what}. Set stockClient in infra/stages.ts.`)

const domain = (): string => {
  const found = region()
    .split('-')
    .map((word) => DOMAINS[word])
  return found.find((other) => other !== undefined) ?? 'amazonaws.com'
}

// The AWS partitions with another domain, by a word in the names of their regions (partitions.json of the SDKs).
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

// What the SDK finds out about its surroundings. Lambda sets environment variables; the SDK would
// look in more places.
import { variableValue } from '../../../shared/settings.ts'

/** The address of DynamoDB: the one in the environment, or else that of the region. */
export const endpoint = (): URL =>
  new URL(endpointInEnvironment() || regionalEndpoint(variableValue('AWS_REGION')))

/** Throws an Error if the environment asks for an endpoint such as FIPS, or one with a path. */
export const checkEnvironment = (): void => {
  for (const name of ['AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT'])
    if ((process.env[name] ?? 'false') !== 'false') throw notSupported(name)
  const given = endpointInEnvironment()
  if (given && new URL(given).href !== `${new URL(given).origin}/`)
    throw notSupported('an endpoint with a path')
}

/** The error for what only the SDK supports. */
export const notSupported = (what: string): Error =>
  new Error(
    `The lean DynamoDB client does not support ${what}. Set stockClient in infra/stages.ts.`,
  )

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

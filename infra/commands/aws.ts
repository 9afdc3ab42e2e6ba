// AWS clients that use the account, the region and the proxy that `cdk` uses.
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { STSClient } from '@aws-sdk/client-sts'
import { timeouts } from '../command-line.ts'

/**
 * Lets the AWS clients of this process use the profile, the region and the certificates that the
 * environment names, as `cdk` does, or another region. Call it before the first `awsOptions`.
 */
export const useAwsEnvironment = async (region?: string): Promise<void> => {
  const { env } = process
  // The SDK knows no variables with DEFAULT, and takes an empty one for a value.
  for (const name of ['PROFILE', 'REGION']) {
    const value = env[`AWS_${name}`] || env[`AWS_DEFAULT_${name}`]
    if (value) env[`AWS_${name}`] = value
    else delete env[`AWS_${name}`]
  }
  // The profile may have the region.
  env.AWS_REGION = region ?? (await new STSClient().config.region())
  // To the SDK, a profile would come before access keys.
  if (env.AWS_ACCESS_KEY_ID && env.AWS_SECRET_ACCESS_KEY) delete env.AWS_PROFILE
  if (env.AWS_CA_BUNDLE)
    setDefaultCACertificates([...getCACertificates(), readFileSync(env.AWS_CA_BUNDLE, 'utf8')])
}

/** The options of an AWS client. */
export const awsOptions = () => {
  // These agents use the proxies of the environment.
  const agents = { httpAgent: http.globalAgent, httpsAgent: https.globalAgent }
  return { requestHandler: { ...timeouts.requestHandler, ...agents } }
}

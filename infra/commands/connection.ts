import { readFileSync } from 'node:fs'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { CommandError, timeouts } from '../command-line.ts'
import { proxyVariables } from '../proxy.ts'

/** The options of an AWS client that reaches AWS as `cdk` does: through the same proxy. */
export const awsConnection = () => {
  const options = { keepAlive: true, proxyEnv: proxyVariables() }
  const agents = { httpAgent: new HttpAgent(options), httpsAgent: new HttpsAgent(options) }
  return { requestHandler: { ...timeouts.requestHandler, ...agents } }
}

/**
 * Lets this process trust the certificates that AWS_CA_BUNDLE names, as `cdk` does. Throws a
 * CommandError if the file cannot be used.
 */
export const trustCertificates = (): void => {
  const { AWS_CA_BUNDLE: file } = process.env
  if (!file) return
  try {
    setDefaultCACertificates([...getCACertificates(), readFileSync(file, 'utf8')])
  } catch (error) {
    throw new CommandError(`AWS_CA_BUNDLE names ${file}, which cannot be used: ${error}`)
  }
}

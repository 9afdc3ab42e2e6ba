import { setTimeout as pause } from 'node:timers/promises'
import { Sha256 } from '@smithy/core/checksum'
import { SignatureV4 } from '@smithy/signature-v4'
import { unauthorized } from '../shared/model/api-error.ts'
import { type KeyPrefix, newApiKey } from '../shared/model/api-key.ts'
import { service } from '../shared/service.ts'
import { credentials, region } from './bundle/lean-client/environment.ts'

/** What CodeDeploy sends to a hook: which deployment asks, but not for which version. */
type Event = { DeploymentId: string; LifecycleEventHookExecutionId: string }

/**
 * The Lambda function that CodeDeploy invokes before new versions get requests. The release goes on only if each of them
 * rejects an unknown API key: then it loads, is configured and can read the key table. Nothing is written.
 *
 * @throws Error if CodeDeploy does not accept the result. Lambda then invokes the hook again
 */
export const handler = async ({ DeploymentId, LifecycleEventHookExecutionId }: Event): Promise<void> => {
  const status = await expectUnauthorized(DeploymentId).then(
    () => 'Succeeded',
    (error) => {
      console.error(error)
      return 'Failed'
    },
  )
  const target = 'CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus'
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target }
  const result = { deploymentId: DeploymentId, lifecycleEventHookExecutionId: LifecycleEventHookExecutionId, status }
  const response = await post('codedeploy', '/', headers, result)
  if (!response.ok) throw new Error(`CodeDeploy returned ${response.status}: ${await response.text()}`)
}

const expectUnauthorized = async (requestId: string): Promise<void> => {
  const { KEY_PREFIX, NEW_VERSIONS = '' } = process.env
  const key = newApiKey(KEY_PREFIX as KeyPrefix) // The stack sets it from the stage.
  // What operations read of API Gateway's event before they have found the key.
  const event = {
    multiValueHeaders: { Authorization: [`Bearer ${key}`] },
    requestContext: { requestId, path: `${service.basePath}/`, resourcePath: '/', domainName: 'release-hook' },
  }
  const expected = JSON.stringify(unauthorized({ keyWasSent: true }).body)
  const check = async (version: string) => {
    const text = await invoke(version, event)
    const { statusCode, body } = JSON.parse(text)
    if (statusCode !== 401 || body !== expected)
      throw new Error(`${version} returned ${statusCode ?? text} for an unknown API key, not the Error body of 401.`)
  }
  await Promise.all(NEW_VERSIONS.split(',').map(check))
}

const MAX_ATTEMPTS = 30

const invoke = async (version: string, event: object): Promise<string> => {
  const path = `/2015-03-31/functions/${encodeURIComponent(version)}/invocations`
  for (let attempt = 1; ; attempt++) {
    const response = await post('lambda', path, {}, event)
    // The right to invoke a new version is as new as the version, and IAM may need some seconds to apply it.
    if (response.status !== 403 || attempt === MAX_ATTEMPTS) return response.text()
    await pause(1000)
  }
}

/** Sends a request to an endpoint that the stack sets. Two requests need the signature of the SDK, but not its clients. */
const post = async (service: 'lambda' | 'codedeploy', path: string, headers: object, content: object) => {
  const url = new URL(path, process.env[`AWS_ENDPOINT_URL_${service.toUpperCase()}`])
  const { protocol, hostname, host } = url
  const body = JSON.stringify(content)
  const signer = new SignatureV4({ service, region: region(), credentials: credentials(), sha256: Sha256 })
  const request = { method: 'POST', protocol, hostname, path, headers: { host, ...headers }, query: {}, body }
  const signed = await signer.sign(request)
  return fetch(url, { ...signed, signal: AbortSignal.timeout(15_000) })
}

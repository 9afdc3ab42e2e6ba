import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from 'aws-lambda'
import * as apiKeys from '../shared/data/api-keys.ts'
import { digestOf, type KeyPrefix, newApiKey } from '../shared/model/api-key.ts'
import { service } from '../shared/service.ts'
import { setting, variableValue } from '../shared/settings.ts'
import { signer } from './bundle/lean-client/signature.ts'

/** What CodeDeploy sends to a hook: which deployment asks, but not for which version. */
type Event = { DeploymentId: string; LifecycleEventHookExecutionId: string }

/** Milliseconds: the limit of a request, the pause before a retry, and what is left of the hook's time for the report. */
type Times = { request: number; pause: number; report: number }

/**
 * Creates the Lambda function that CodeDeploy invokes before new versions get requests. It stores an API key without
 * scopes that expires in ten minutes. The release goes on only if each version returns 403 for this key and 401 for an
 * unknown one: then it loads, is configured and finds keys. No operation runs. Errors of AWS and a 503 are retried,
 * because they are not the version's fault. There is a report in any case; the hook throws if CodeDeploy does not
 * accept it in time.
 */
export const releaseHook =
  (times: Times) => async (event: Event, context: Pick<Context, 'getRemainingTimeInMillis'>) => {
    const { DeploymentId: deploymentId, LifecycleEventHookExecutionId: lifecycleEventHookExecutionId } = event
    const end = Date.now() + context.getRemainingTimeInMillis()
    const status = await checkVersions(deploymentId, retrying(end - times.report, times)).then(
      () => 'Succeeded',
      (error) => {
        console.error(error)
        return 'Failed'
      },
    )
    const result = { deploymentId, lifecycleEventHookExecutionId, status }
    await retrying(end, times)('The report to CodeDeploy', (signal) => report(result, signal))
  }

export const handler = releaseHook({ request: 15_000, pause: 1000, report: 60_000 })

/** Returns a function that attempts something until it succeeds, or until `end`. */
const retrying =
  (end: number, times: Times) =>
  async <T>(what: string, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await attempt(AbortSignal.timeout(Math.max(0, Math.min(times.request, end - Date.now()))))
      } catch (error) {
        await pause(times.pause)
        if (Date.now() >= end) throw new Error(`${what} did not succeed in time.`, { cause: error })
      }
    }
  }

const checkVersions = async (deploymentId: string, retry: ReturnType<typeof retrying>): Promise<void> => {
  const versions = variableValue('NEW_VERSIONS').split(',')
  const prefix = setting('keyPrefix') as KeyPrefix // The stack sets it from the stage.
  const [known, unknown] = [newApiKey(prefix), newApiKey(prefix)]
  await retry('The storage of a key', () => store(known, deploymentId))
  const check = async (version: string, key: string, expected: string) => {
    const outcome = await retry(`The invocation of ${version}`, (signal) => invoke(version, key, signal))
    if (outcome !== expected) throw new Error(`${version} returned "${outcome}" instead of "${expected}".`)
  }
  // One after another: the hook runs for each alias at the same time, and a new account allows few concurrent executions.
  for (const version of versions) {
    await check(version, known, '403 forbidden')
    await check(version, unknown, '401 unauthorized')
  }
}

const store = (key: string, deploymentId: string): Promise<unknown> => {
  const owner = { keyId: `release_${deploymentId}`, clientId: 'release-hook', name: 'Release hook', scopes: [] }
  const now = Date.now()
  const dates = { createdAt: new Date(now).toISOString(), expiresAt: Math.floor(now / 1000) + 600 }
  return apiKeys.put({ digest: digestOf(key), ...owner, ...dates })
}

/** Returns the status and the error code of a version's response, or the payload if it is no response. */
const invoke = async (version: string, key: string, signal: AbortSignal): Promise<string> => {
  // What operations read of API Gateway's event before they have checked the key.
  const event = {
    multiValueHeaders: { Authorization: [`Bearer ${key}`] },
    requestContext: { requestId: 'release-hook', path: `${service.basePath}/`, resourcePath: '/' },
  }
  const path = `/2015-03-31/functions/${encodeURIComponent(version)}/invocations`
  // `post` throws if the response is not from the version, also for Lambda's 403: IAM may apply the right to invoke late.
  const payload = await post('lambda', path, event, { signal })
  const { statusCode, body } = JSON.parse(payload) ?? {}
  const outcome = statusCode ? `${statusCode} ${/"code":"(\w+)"/.exec(body)?.[1]}` : payload
  if (/^503 |Task timed out/.test(outcome)) throw new Error(`It returned "${outcome}".`)
  return outcome
}

const report = async (result: object, signal: AbortSignal): Promise<void> => {
  const target = 'CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus'
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target }
  await post('codedeploy', '/', result, { signal, headers }).catch((error) => {
    // The response to an earlier attempt was lost.
    if (!error.message.includes('LifecycleEventAlreadyCompletedException')) throw error
  })
}

type Options = { signal: AbortSignal; headers?: Record<string, string> }

/** Sends a signed request to an endpoint that the stack sets. Throws unless the response has the status 200. */
const post = async (aws: 'lambda' | 'codedeploy', path: string, content: object, { signal, headers = {} }: Options) => {
  const url = new URL(path, variableValue(`AWS_ENDPOINT_URL_${aws.toUpperCase()}`))
  const body = JSON.stringify(content)
  const signed = signer(aws, path)({ ...headers, host: url.host }, body)
  const response = await fetch(url, { method: 'POST', headers: signed, body, redirect: 'error', signal })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${url.host} returned ${response.status}: ${text}`)
  return text
}

import { setTimeout } from 'node:timers/promises'
import {
  CodeDeployClient,
  LifecycleEventAlreadyCompletedException,
  PutLifecycleEventHookExecutionStatusCommand,
} from '@aws-sdk/client-codedeploy'
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import type { Context } from 'aws-lambda'
import * as apiKeys from '../../shared/data/api-keys.ts'
import { digestOf, type KeyPrefix, newApiKey } from '../../shared/model/api-key.ts'
import { secondsFromNow } from '../../shared/model/expiry.ts'
import { service } from '../../shared/service.ts'
import { setting, variableValue } from '../../shared/settings.ts'

type HookEvent = { DeploymentId: string; LifecycleEventHookExecutionId: string }

/** Until when to retry the checks, and then the report (as `Date.now()`). */
type Limits = { checkUntil: number; reportUntil: number }

/**
 * The Lambda function that CodeDeploy invokes before new versions get requests: once for each
 * operation, without saying for which version. So each invocation checks all versions.
 */
export const handler = (event: HookEvent, context: Context): Promise<void> => {
  const end = Date.now() + context.getRemainingTimeInMillis()
  return checkRelease(event, { checkUntil: end - 60_000, reportUntil: end })
}

/**
 * Checks the new versions, and reports to CodeDeploy whether the release may go on. Each version
 * must return 403 for a new API key without scopes, and 401 for an unknown one: then it loads, is
 * configured and finds keys. No operation runs. Throws if CodeDeploy does not accept the report.
 */
export const checkRelease = async (
  event: HookEvent,
  { checkUntil, reportUntil }: Limits,
): Promise<void> => {
  try {
    await checkVersions(event.DeploymentId, checkUntil)
  } catch (error) {
    console.error(error)
    await sendReport(event, 'Failed', reportUntil)
    return
  }
  await sendReport(event, 'Succeeded', reportUntil)
}

const checkVersions = async (deploymentId: string, until: number): Promise<void> => {
  const prefix = setting('keyPrefix') as KeyPrefix // The stack sets it from the stage.
  const [known, unknown] = [newApiKey(prefix), newApiKey(prefix)]
  await retry('The storage of a key', until, () => store(known, deploymentId))
  const lambda = new LambdaClient({ maxAttempts: 1 })
  const check = async (version: string, key: string, expected: string) => {
    const outcome = await retry(`The invocation of ${version}`, until, (abortSignal) =>
      invokeVersion(lambda, version, key, abortSignal),
    )
    if (outcome !== expected)
      throw new Error(`${version} returned "${outcome}" instead of "${expected}".`)
  }
  // In turn: this hook runs for all operations at once, and new accounts allow few executions.
  for (const version of variableValue('NEW_VERSIONS').split(',')) {
    await check(version, known, '403 forbidden')
    await check(version, unknown, '401 unauthorized')
  }
}

const store = (key: string, deploymentId: string): Promise<unknown> =>
  apiKeys.put({
    digest: digestOf(key),
    keyId: `release_${deploymentId}`,
    clientId: 'release-hook',
    name: 'Release hook',
    scopes: [],
    createdAt: new Date().toISOString(),
    expiresAt: secondsFromNow(600),
  })

/**
 * The status and the error code that a version returns, or the payload if it has none. Throws if a
 * retry may help: a database may be slow, and a permission of the version may be seconds old.
 */
const invokeVersion = async (
  lambda: LambdaClient,
  version: string,
  key: string,
  abortSignal: AbortSignal,
): Promise<string> => {
  // All that operations read before they have checked the key.
  const event = {
    multiValueHeaders: { Authorization: [`Bearer ${key}`] },
    requestContext: { requestId: 'release-hook', path: `${service.basePath}/`, resourcePath: '/' },
  }
  const command = new InvokeCommand({ FunctionName: version, Payload: JSON.stringify(event) })
  const { Payload } = await lambda.send(command, { abortSignal })
  const payload = `${Payload?.transformToString()}`
  const { statusCode, body } = JSON.parse(payload) ?? {}
  const outcome = statusCode ? `${statusCode} ${/"code":"(\w+)"/.exec(body)?.[1]}` : payload
  if (/^5\d\d |Task timed out/.test(outcome)) throw new Error(`It returned "${outcome}".`)
  return outcome
}

const sendReport = async (
  event: HookEvent,
  status: 'Succeeded' | 'Failed',
  until: number,
): Promise<void> => {
  const codeDeploy = new CodeDeployClient({ maxAttempts: 1 })
  const command = new PutLifecycleEventHookExecutionStatusCommand({
    deploymentId: event.DeploymentId,
    lifecycleEventHookExecutionId: event.LifecycleEventHookExecutionId,
    status,
  })
  await retry('The report to CodeDeploy', until, async (abortSignal) => {
    try {
      await codeDeploy.send(command, { abortSignal })
    } catch (error) {
      // The response to an earlier attempt was lost.
      if (!(error instanceof LifecycleEventAlreadyCompletedException)) throw error
    }
  })
}

/** Retries until success, or a time. The SDK's own retries end sooner, and leave out a 403. */
const retry = async <T>(
  what: string,
  until: number,
  attempt: (abortSignal: AbortSignal) => Promise<T>,
): Promise<T> => {
  for (;;) {
    const milliseconds = Math.max(0, Math.min(15_000, until - Date.now()))
    try {
      return await attempt(AbortSignal.timeout(milliseconds))
    } catch (error) {
      await setTimeout(250)
      if (Date.now() >= until) throw new Error(`${what} did not succeed in time.`, { cause: error })
    }
  }
}

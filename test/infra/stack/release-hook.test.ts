import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { checkRelease } from '../../../infra/stack/release-hook.ts'
import { operationIds } from '../../../shared/contract.ts'
import { failOnce, proxy } from '../../support/database.ts'
import { type FakeResponse, type Fate, serveFake } from '../../support/fake-api.ts'
import { databaseResponses } from '../../support/fault-proxy.ts'

const ok = (content: unknown): FakeResponse => ({ status: 200, body: JSON.stringify(content) })
const error = (status: number, name: string): FakeResponse => ({
  status,
  body: JSON.stringify({ __type: name, message: 'By the test.' }),
})
const response = (statusCode: number, code: string) =>
  ok({ statusCode, body: JSON.stringify({ code }) })

const versions = operationIds.map((id) => `${id}:7`)

beforeEach(() => {
  for (const level of ['info', 'error'] as const)
    vi.spyOn(console, level).mockImplementation(() => {})
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** Ends attempts that get no response after 200 ms. */
const shortenAttempts = () => {
  const timeout = AbortSignal.timeout
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(Math.min(ms, 200)))
}

type Settings = {
  /** What the first requests to Lambda meet. The next ones reach the versions. */
  lambda?: Fate[]
  /** What the last version returns. */
  badVersion?: Fate
  codeDeploy?: Fate[]
  /** Milliseconds for the checks, and for the report. */
  checks?: number
  report?: number
}

/**
 * Runs the hook. Returns its error, the statuses that it reported, and the requests that AWS
 * received.
 */
const run = async ({
  lambda = [],
  badVersion,
  codeDeploy = [ok({})],
  checks = 100_000,
  report = 100_000,
}: Settings = {}) => {
  let [running, mostAtOnce] = [0, 0]
  const invocations: string[] = []
  const invoke = async ({ path, body }: { path: string; body: string }): Promise<Fate> => {
    const [, name = ''] = /^\/2015-03-31\/functions\/(.*)\/invocations$/.exec(path) ?? []
    const version = decodeURIComponent(name)
    invocations.push(version)
    if (badVersion && version === versions.at(-1)) return badVersion
    mostAtOnce = Math.max(mostAtOnce, ++running)
    const { handler } = await import(`../../../functions/${version.split(':')[0]}.ts`)
    const result = await handler(JSON.parse(body), { functionVersion: '7' })
    running--
    return ok(result)
  }
  const [invoked, reported] = [await serveFake(...lambda, invoke), await serveFake(...codeDeploy)]
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', new URL(invoked.baseUrl).origin)
  vi.stubEnv('AWS_ENDPOINT_URL_CODEDEPLOY', new URL(reported.baseUrl).origin)
  vi.stubEnv('NEW_VERSIONS', versions.join(','))

  const event = { DeploymentId: 'd-ABCDEF', LifecycleEventHookExecutionId: 'eyJlbmM' }
  const checkUntil = Date.now() + checks
  const failure: unknown = await checkRelease(event, {
    checkUntil,
    reportUntil: checkUntil + report,
  }).catch((error) => error)

  const reports = reported.requests.map(({ headers, body }) => {
    const { status, ...ids } = JSON.parse(body)
    expect(headers['x-amz-target']).toBe('CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus')
    expect(ids).toEqual({ deploymentId: 'd-ABCDEF', lifecycleEventHookExecutionId: 'eyJlbmM' })
    return status
  })
  return { failure, reports, invocations, mostAtOnce }
}

test('lets a release go on when each new version knows a key, and no other key', async () => {
  const started = Date.now() / 1000
  let stored = ''
  proxy.faultOf = ({ operation, body }) => {
    if (operation === 'PutItem') stored = body
    return 'pass'
  }

  const { reports, invocations, mostAtOnce } = await run()

  expect({ reports, mostAtOnce }).toEqual({ reports: ['Succeeded'], mostAtOnce: 1 })
  expect(new Set(invocations)).toEqual(new Set(versions))
  expect(Object.keys(proxy.counts).sort()).toEqual(['GetItem', 'PutItem'])
  const { expiresAt, ...key } = JSON.parse(stored).Item
  expect(key).toMatchObject({
    keyId: { S: 'release_d-ABCDEF' },
    clientId: { S: 'release-hook' },
    scopes: { L: [] },
  })
  expect(Number(expiresAt.N)).toBeGreaterThan(started + 5 * 60)
  expect(Number(expiresAt.N)).toBeLessThan(started + 60 * 60)
})

test('retries until IAM knows the permissions of the hook and of each version, and each responds', async () => {
  failOnce({ PutItem: databaseResponses.accessDenied })
  const lambda: Fate[] = [
    error(403, 'AccessDeniedException'),
    { status: 200, body: '{"statusCode":' },
    'cut',
    'silence',
    ok({
      errorType: 'Sandbox.Timedout',
      errorMessage: 'Error: Task timed out after 10.00 seconds',
    }),
    response(503, 'service_unavailable'),
    // A permission of the version that is seconds old.
    response(500, 'internal_server_error'),
  ]

  shortenAttempts()

  const { reports } = await run({ lambda })

  // A set, because a delayed process reports twice.
  expect(new Set(reports)).toEqual(new Set(['Succeeded']))
})

test.each<[string, Fate]>([
  ['crashes', ok({ errorType: 'Runtime.ImportModuleError', errorMessage: 'No start.mjs' })],
  ['refuses every key', response(401, 'unauthorized')],
  ['knows every key', response(403, 'forbidden')],
  ['returns the status with another body', response(403, 'other')],
])('stops a release at once when one of the new versions %s', async (_, badVersion) => {
  const { reports } = await run({ badVersion })

  expect(reports).toEqual(['Failed'])
  const message = expect.stringMatching(
    `^${versions.at(-1)} returned ".*" instead of "40[13] \\w+"\\.$`,
  )
  expect(console.error).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message }))
})

test.each([
  ['no key can be stored', 'PutItem'],
  ['the new versions may not read keys', 'GetItem'],
])('stops a release when %s until the time for the checks ends', async (_, refused) => {
  proxy.faultOf = ({ operation }) =>
    operation === refused ? databaseResponses.accessDenied : 'pass'

  const { reports } = await run({ checks: 300 })

  expect(new Set(reports)).toEqual(new Set(['Failed']))
})

test('reports until CodeDeploy accepts it, or has accepted it and the response was lost', async () => {
  const accepted = error(400, 'LifecycleEventAlreadyCompletedException')
  const codeDeploy: Fate[] = [error(400, 'ThrottlingException'), 'silence', accepted]

  shortenAttempts()

  const { failure, reports } = await run({ codeDeploy })

  expect(failure).toBeUndefined()
  expect(reports.slice(0, 3)).toEqual(Array(3).fill('Succeeded'))
})

test('fails when CodeDeploy does not accept the report', async () => {
  const codeDeploy = [error(400, 'DeploymentDoesNotExistException')]

  const { failure } = await run({ codeDeploy, checks: 0, report: 300 })

  expect(failure).toEqual(new Error('The report to CodeDeploy did not succeed in time.'))
})

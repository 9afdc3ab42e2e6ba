import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { checkRelease } from '../../infra/release-hook.ts'
import { operationIds } from '../../shared/contract.ts'
import { once, proxy } from '../support/database.ts'
import { type FakeResponse, type Fate, serve } from '../support/fake-api.ts'
import { databaseResponses, type Fault } from '../support/fault-proxy.ts'

const ok = (content: unknown): FakeResponse => ({ status: 200, body: JSON.stringify(content) })
const error = (status: number, name: string): FakeResponse => ({
  status,
  body: JSON.stringify({ __type: name, message: 'By the test.' }),
})
const redirection = { status: 307, headers: { Location: '/elsewhere' } }
const response = (statusCode: number, code: string) => ok({ statusCode, body: JSON.stringify({ code }) })

const versions = operationIds.map((id) => `arn:aws:lambda:eu-central-1:123456789012:function:${id}:7`)

beforeEach(() => {
  for (const level of ['info', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => {})
})
afterEach(() => void vi.unstubAllEnvs())

type Settings = {
  /** What the first requests to Lambda meet. The next ones reach the versions, the last of which may be a bad one. */
  lambda?: Fate[]
  badVersion?: Fate
  codeDeploy?: Fate[]
  /** The milliseconds that the hook has for the checks, for the report, and for each request. */
  checks?: number
  report?: number
  request?: number
  env?: Record<string, string>
}

/** Runs the hook. Returns its error, the statuses that it reported, and the requests that AWS received. */
const run = async ({ lambda = [], badVersion, codeDeploy = [ok({})], env = {}, ...limits }: Settings = {}) => {
  const { checks = 100_000, report = 100_000, request = 100_000 } = limits
  let [running, mostAtOnce] = [0, 0]
  const invocations: string[] = []
  const invoke = async ({ path, body }: { path: string; body: string }): Promise<Fate> => {
    const [, arn = ''] = /^\/2015-03-31\/functions\/(.*)\/invocations$/.exec(path) ?? []
    const version = decodeURIComponent(arn)
    invocations.push(version)
    if (!version) return ok({}) // A redirection was followed.
    if (badVersion && version === versions.at(-1)) return badVersion
    mostAtOnce = Math.max(mostAtOnce, ++running)
    const { handler } = await import(`../../functions/${version.split(':').at(-2)}.ts`)
    const result = await handler(JSON.parse(body), { functionVersion: '7' })
    running--
    return ok(result)
  }
  const [invoked, reported] = [await serve(...lambda, invoke), await serve(...codeDeploy)]
  const [AWS_ENDPOINT_URL_LAMBDA, AWS_ENDPOINT_URL_CODEDEPLOY] = [invoked, reported].map(
    ({ baseUrl }) => new URL(baseUrl).origin,
  )
  const endpoints = { AWS_ENDPOINT_URL_LAMBDA, AWS_ENDPOINT_URL_CODEDEPLOY }
  for (const [name, value] of Object.entries({ ...endpoints, NEW_VERSIONS: versions.join(','), ...env }))
    vi.stubEnv(name, value)

  const event = { DeploymentId: 'd-ABCDEF', LifecycleEventHookExecutionId: 'eyJlbmM' }
  const times = { request, pause: 1, report }
  const failure: unknown = await checkRelease(event, checks + report, times).catch((error) => error)

  const reports = reported.requests.map(({ path, headers, body }) => {
    const result = { deploymentId: 'd-ABCDEF', lifecycleEventHookExecutionId: 'eyJlbmM', status: expect.any(String) }
    expect([path, headers['x-amz-target']]).toEqual(['/', 'CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus'])
    expect(JSON.parse(body)).toEqual(result)
    return JSON.parse(body).status
  })
  const services = [invoked, reported].map(({ requests: [first] }) =>
    /\w+(?=\/aws4_request)/.exec(first?.headers.authorization ?? '')?.at(0),
  )
  return { failure, reports, invocations, mostAtOnce, services }
}

test('lets a release go on when each new version knows a key, and no other key', async () => {
  const started = Date.now() / 1000
  let stored = ''
  proxy.faultOf = ({ operation, body }) => {
    if (operation === 'PutItem') stored = body
    return 'pass'
  }

  const { reports, services, invocations, mostAtOnce } = await run()

  expect({ reports, services, mostAtOnce }).toEqual({
    reports: ['Succeeded'],
    services: ['lambda', 'codedeploy'],
    mostAtOnce: 1,
  })
  expect(new Set(invocations)).toEqual(new Set(versions))
  expect(Object.keys(proxy.counts).sort()).toEqual(['GetItem', 'PutItem'])
  const { expiresAt, ...key } = JSON.parse(stored).Item
  expect(key).toMatchObject({ keyId: { S: 'release_d-ABCDEF' }, clientId: { S: 'release-hook' }, scopes: { L: [] } })
  expect(Number(expiresAt.N)).toBeGreaterThan(started + 5 * 60)
  expect(Number(expiresAt.N)).toBeLessThan(started + 60 * 60)
})

test.each<[string, Fate]>([
  ['a busy account', error(429, 'TooManyRequestsException')],
  ['a right that IAM does not know yet', error(403, 'AccessDeniedException')],
  ['an unavailable Lambda', error(503, 'ServiceUnavailableException')],
  ['half a response', { status: 200, body: '{"statusCode":' }],
  ['a redirection', redirection],
  ['a broken connection', 'cut'],
  ['no response', 'silence'],
  [
    'a function that times out',
    ok({ errorType: 'Sandbox.Timedout', errorMessage: 'Error: Task timed out after 10.00 seconds' }),
  ],
  ['a 503 of the service', response(503, 'service_unavailable')],
])('retries until the time for the checks ends: %s', async (_, fate) => {
  const retried = await run({ lambda: [fate, fate], request: fate === 'silence' ? 500 : 100_000 })
  const late = await run({ badVersion: fate, checks: 100 })

  // Sets, because a delayed process reports twice.
  expect([retried, late].map(({ reports }) => new Set(reports))).toEqual([new Set(['Succeeded']), new Set(['Failed'])])
})

test.each<[string, Fault]>([
  ['throttling', databaseResponses.throttling],
  ['a broken connection', 'cut'],
])('retries to store the key: %s', async (_, fault) => {
  once({ PutItem: fault })

  expect((await run()).reports).toEqual(['Succeeded'])
})

test.each<[string, Fate]>([
  ['crashes', ok({ errorType: 'Runtime.ImportModuleError', errorMessage: 'No start.mjs' })],
  ['returns nothing', ok(null)],
  ['lets keys pass', ok({ statusCode: 200, body: '[]' })],
  ['refuses every key', response(401, 'unauthorized')],
  ['knows every key', response(403, 'forbidden')],
  ['returns 500', response(500, 'internal_server_error')],
])('stops a release at once when one of the new versions %s', async (_, badVersion) => {
  const { reports } = await run({ badVersion })

  expect(reports).toEqual(['Failed'])
  const message = expect.stringMatching(`^${versions.at(-1)} returned ".*" instead of "40[13] \\w+"\\.$`)
  expect(console.error).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message }))
})

test('stops a release when a new version returns the statuses with other bodies', async () => {
  const { reports } = await run({ lambda: [403, 401].map((statusCode) => ok({ statusCode, body: '{}' })) })

  expect(reports).toEqual(['Failed'])
})

test.each([
  ['the new versions may not read keys', 'GetItem', 100_000],
  ['no key can be stored until the time for the checks ends', 'PutItem', 300],
])('stops a release when %s', async (_, refused, checks) => {
  proxy.faultOf = ({ operation }) => (operation === refused ? databaseResponses.accessDenied : 'pass')

  expect((await run({ checks })).reports).toEqual(['Failed'])
})

test.each(['NEW_VERSIONS', 'KEY_PREFIX', 'API_KEYS_TABLE'])('stops a release when %s is empty', async (variable) => {
  const { reports, invocations } = await run({ env: { [variable]: '' }, checks: 100 })

  expect([reports, invocations]).toEqual([['Failed'], []])
})

test.each<[string, Fate]>([
  ['throttling', error(400, 'ThrottlingException')],
  ['an error', error(500, 'InternalFailure')],
  ['a redirection', redirection],
  ['a broken connection', 'cut'],
  ['no response', 'silence'],
])('reports until CodeDeploy accepts it: %s', async (_, fate) => {
  const request = fate === 'silence' ? 500 : 100_000

  const { failure, reports } = await run({ codeDeploy: [fate, fate, ok({})], request })

  expect(failure).toBeUndefined()
  expect(reports.slice(0, 3)).toEqual(Array(3).fill('Succeeded'))
})

test('reports once when CodeDeploy accepts it and the response is lost', async () => {
  const { reports } = await run({ codeDeploy: ['cut', error(400, 'LifecycleEventAlreadyCompletedException')] })

  expect(reports).toEqual(['Succeeded', 'Succeeded'])
})

test('fails when CodeDeploy does not accept the report', async () => {
  const codeDeploy = [error(400, 'DeploymentDoesNotExistException')]

  const { failure } = await run({ codeDeploy, checks: 0, report: 300 })

  expect(failure).toEqual(new Error('The report to CodeDeploy did not succeed in time.'))
})

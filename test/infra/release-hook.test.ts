import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, test, vi } from 'vitest'
import { releaseHook } from '../../infra/release-hook.ts'
import { operationIds } from '../../shared/contract.ts'
import type { Event } from '../../shared/http.ts'
import { once as onceOf, proxy } from '../support/database.ts'
import { databaseResponses, type Fault } from '../support/fault-proxy.ts'

/** A response of AWS: its status and its JSON content, or another text. `cut` and `silence` send none. */
type Response = 'cut' | 'silence' | { status: number; content: unknown; headers?: Record<string, string> }

const ok = (content: unknown): Response => ({ status: 200, content })
const error = (status: number, name: string): Response => ({
  status,
  content: { __type: name, message: 'By the test.' },
})
const redirection: Response = { status: 307, content: '', headers: { location: '/elsewhere' } }
const response = (statusCode: number, code: string) => ok({ statusCode, body: JSON.stringify({ code }) })

const versions = operationIds.map((id) => `arn:aws:lambda:eu-central-1:123456789012:function:${id}:7`)

/** What the test does in place of Lambda and CodeDeploy, until the lists are empty or for all requests. */
let lambda: Response[]
let badVersion: Response | undefined
let codeDeploy: Response[]
let reports: { status: string }[]
let services: Set<string | undefined>
let invocations: string[]
let running: number
let mostAtOnce: number

const invoke = async (version: string, event: Event): Promise<Response> => {
  const { handler } = await import(`../../functions/${version.split(':').at(-2)}.ts`)
  return ok(await handler(event, { functionVersion: '7' }))
}

/** Lambda and CodeDeploy. */
const aws = createServer(async (request, outgoing) => {
  const body = JSON.parse(await text(request))
  if (request.url === '/elsewhere') return send(ok({}), outgoing)
  services.add(/\w+(?=\/aws4_request)/.exec(request.headers.authorization ?? '')?.[0])
  if (request.headers['x-amz-target'] === 'CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus') {
    reports.push(body)
    return send(codeDeploy.shift() ?? ok({}), outgoing)
  }
  const [, path = ''] = /^\/2015-03-31\/functions\/(.*)\/invocations$/.exec(request.url ?? '') ?? []
  const version = decodeURIComponent(path)
  invocations.push(version)
  mostAtOnce = Math.max(mostAtOnce, ++running)
  const bad = version === versions.at(-1) ? badVersion : undefined
  send(lambda.shift() ?? bad ?? (await invoke(version, body)), outgoing)
  running--
})

const send = (response: Response, outgoing: ServerResponse): void => {
  if (response === 'silence') return
  if (response === 'cut') return void outgoing.destroy()
  const { status, content, headers } = response
  outgoing.writeHead(status, headers).end(typeof content === 'string' ? content : JSON.stringify(content))
}

beforeEach(async () => {
  lambda = []
  badVersion = undefined
  codeDeploy = []
  reports = []
  services = new Set()
  invocations = []
  running = mostAtOnce = 0
  if (!aws.listening) await once(aws.listen(0, '127.0.0.1'), 'listening')
  const { port } = aws.address() as AddressInfo // Only a server on a pipe has another kind of address.
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', `http://127.0.0.1:${port}`)
  vi.stubEnv('AWS_ENDPOINT_URL_CODEDEPLOY', `http://127.0.0.1:${port}`)
  vi.stubEnv('NEW_VERSIONS', versions.join(','))
  for (const level of ['info', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => {})
  return () => {
    vi.unstubAllEnvs()
    aws.closeAllConnections()
  }
})

/** Runs the hook. `checks` is how many milliseconds it has for the checks, and `report` for the report. */
const run = ({ checks = 100_000, report = 100_000, request = 100_000 } = {}) => {
  const hook = releaseHook({ request, pause: 1, report })
  const event = { DeploymentId: 'd-ABCDEF', LifecycleEventHookExecutionId: 'eyJlbmM' }
  return hook(event, { getRemainingTimeInMillis: () => checks + report })
}
const result = (status: string) => ({ deploymentId: 'd-ABCDEF', lifecycleEventHookExecutionId: 'eyJlbmM', status })

test('lets a release go on when each new version knows a key, and no other key', async () => {
  const started = Date.now() / 1000
  let stored = ''
  proxy.faultOf = ({ operation, body }) => {
    if (operation === 'PutItem') stored = body
    return 'pass'
  }

  await run()

  expect(reports).toEqual([result('Succeeded')])
  expect(services).toEqual(new Set(['lambda', 'codedeploy']))
  expect(new Set(invocations)).toEqual(new Set(versions))
  expect(mostAtOnce).toBe(1)
  expect(Object.keys(proxy.counts).sort()).toEqual(['GetItem', 'PutItem'])
  const { expiresAt, ...key } = JSON.parse(stored).Item
  expect(key).toMatchObject({ keyId: { S: 'release_d-ABCDEF' }, clientId: { S: 'release-hook' }, scopes: { L: [] } })
  expect(Number(expiresAt.N)).toBeGreaterThan(started + 5 * 60)
  expect(Number(expiresAt.N)).toBeLessThan(started + 60 * 60)
})

test.each<[string, Response]>([
  ['a busy account', error(429, 'TooManyRequestsException')],
  ['a right that IAM does not know yet', error(403, 'AccessDeniedException')],
  ['an unavailable Lambda', error(503, 'ServiceUnavailableException')],
  ['half a response', ok('{"statusCode":')],
  ['a redirection', redirection],
  ['a broken connection', 'cut'],
  ['no response', 'silence'],
  [
    'a function that times out',
    ok({ errorType: 'Sandbox.Timedout', errorMessage: 'Error: Task timed out after 10.00 seconds' }),
  ],
  ['a 503 of the service', response(503, 'service_unavailable')],
])('retries until the time for the checks ends: %s', async (_, response) => {
  lambda = [response, response]
  await run({ request: response === 'silence' ? 500 : 100_000 })
  badVersion = response
  await run({ checks: 300 })

  // A set, because a delayed process reports twice.
  expect([...new Set(reports.map(({ status }) => status))]).toEqual(['Succeeded', 'Failed'])
})

test.each<[string, Fault]>([
  ['throttling', databaseResponses.throttling],
  ['a broken connection', 'cut'],
])('retries to store the key: %s', async (_, fault) => {
  onceOf({ PutItem: fault })

  await run()

  expect(reports).toEqual([result('Succeeded')])
})

test.each<[string, Response]>([
  ['crashes', ok({ errorType: 'Runtime.ImportModuleError', errorMessage: 'No start.mjs' })],
  ['returns nothing', ok(null)],
  ['lets keys pass', ok({ statusCode: 200, body: '[]' })],
  ['refuses every key', response(401, 'unauthorized')],
  ['knows every key', response(403, 'forbidden')],
  ['returns 500', response(500, 'internal_server_error')],
])('stops a release at once when one of the new versions %s', async (_, response) => {
  badVersion = response

  await run()

  expect(reports).toEqual([result('Failed')])
  const message = expect.stringMatching(`^${versions.at(-1)} returned ".*" instead of "40[13] \\w+"\\.$`)
  expect(console.error).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message }))
})

test('stops a release when a new version returns the statuses with other bodies', async () => {
  lambda = [ok({ statusCode: 403, body: '{}' }), ok({ statusCode: 401, body: '{}' })]

  await run()

  expect(reports).toEqual([result('Failed')])
})

test.each([
  ['the new versions may not read keys', 'GetItem', 100_000],
  ['no key can be stored until the time for the checks ends', 'PutItem', 300],
])('stops a release when %s', async (_, refused, checks) => {
  proxy.faultOf = ({ operation }) => (operation === refused ? databaseResponses.accessDenied : 'pass')

  await run({ checks })

  expect(reports).toEqual([result('Failed')])
})

test.each(['NEW_VERSIONS', 'KEY_PREFIX', 'API_KEYS_TABLE', 'AWS_ENDPOINT_URL_LAMBDA'])(
  'stops a release when %s is empty',
  async (variable) => {
    vi.stubEnv(variable, '')

    await run({ checks: 300 })

    expect(reports).toEqual([result('Failed')])
    expect(invocations).toEqual([])
  },
)

test.each<[string, Response]>([
  ['throttling', error(400, 'ThrottlingException')],
  ['an error', error(500, 'InternalFailure')],
  ['a redirection', redirection],
  ['a broken connection', 'cut'],
  ['no response', 'silence'],
])('reports until CodeDeploy accepts it: %s', async (_, response) => {
  codeDeploy = [response, response]

  await run({ request: response === 'silence' ? 500 : 100_000 })

  expect(reports.slice(0, 3)).toEqual(Array(3).fill(result('Succeeded')))
})

test('reports once when CodeDeploy accepts it and the response is lost', async () => {
  codeDeploy = ['cut', error(400, 'LifecycleEventAlreadyCompletedException')]

  await run()

  expect(reports).toEqual(Array(2).fill(result('Succeeded')))
})

test('fails when CodeDeploy does not accept the report', async () => {
  codeDeploy = Array(100_000).fill(error(400, 'DeploymentDoesNotExistException'))

  await expect(run({ checks: 0, report: 300 })).rejects.toThrow('The report to CodeDeploy did not succeed in time.')

  expect(reports).not.toEqual([])
})

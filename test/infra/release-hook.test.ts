import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, test, vi } from 'vitest'
import { handler } from '../../infra/release-hook.ts'
import { operationIds } from '../../shared/contract.ts'
import { always, proxy } from '../support/database.ts'
import { databaseResponses } from '../support/fault-proxy.ts'

/** What Lambda sends for an invocation: a status and the response of the version. */
type Invoked = { status: number; payload: unknown }

/** Invokes the real operation. */
const invoke = async (operation: string, event: object): Promise<Invoked> => {
  const { handler } = await import(`../../functions/${operation}.ts`)
  return { status: 200, payload: await handler(event, { functionVersion: '7' }) }
}

const arnOf = (operation: string) => `arn:aws:lambda:eu-central-1:123456789012:function:${operation}:7`

let lambda = invoke
let codeDeployStatus = 200
let reported: unknown[] = []
const scopes = new Set<string | undefined>()

/** Lambda and CodeDeploy. */
const aws = createServer(async (request, response) => {
  const body = JSON.parse(await text(request))
  scopes.add(/\w+\/aws4_request/.exec(request.headers.authorization ?? '')?.[0])
  if (request.headers['x-amz-target'] === 'CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus') {
    reported.push(body)
    return response.writeHead(codeDeployStatus).end('{}')
  }
  const path = /^\/2015-03-31\/functions\/arn%3A.*%3A(\w+)%3A7\/invocations$/
  const [, operation = ''] = path.exec(request.url ?? '') ?? []
  const { status, payload } = await lambda(operation, body)
  response.writeHead(status).end(JSON.stringify(payload))
})
await once(aws.listen(0, '127.0.0.1'), 'listening')
const { port } = aws.address() as AddressInfo // Only a server on a pipe has another kind of address.
process.env.AWS_ENDPOINT_URL_LAMBDA = process.env.AWS_ENDPOINT_URL_CODEDEPLOY = `http://127.0.0.1:${port}`
process.env.NEW_VERSIONS = operationIds.map(arnOf).join(',')

const event = { DeploymentId: 'd-ABCDEF', LifecycleEventHookExecutionId: 'eyJlbmM' }
const result = (status: string) => ({ deploymentId: 'd-ABCDEF', lifecycleEventHookExecutionId: 'eyJlbmM', status })

beforeEach(() => {
  lambda = invoke
  codeDeployStatus = 200
  reported = []
  for (const level of ['info', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => {})
})

test('lets a release go on when each new version has looked up an unknown key, without writing anything', async () => {
  await handler(event)

  expect(reported).toEqual([result('Succeeded')])
  expect(proxy.counts).toEqual({ GetItem: operationIds.length })
  expect(scopes).toEqual(new Set(['lambda/aws4_request', 'codedeploy/aws4_request']))
})

test.each<[string, Invoked]>([
  ['crashes', { status: 200, payload: { errorType: 'Runtime.ImportModuleError', errorMessage: 'No start.mjs' } }],
  ['lets the key pass', { status: 200, payload: { statusCode: 200, body: '[]' } }],
  ['rejects the key with another body', { status: 200, payload: { statusCode: 401, body: '{}' } }],
  ['does not exist', { status: 404, payload: { Message: 'Function not found' } }],
])('stops a release when one of the new versions %s', async (_, invoked) => {
  lambda = (operation, request) => (operation === 'deletePet' ? Promise.resolve(invoked) : invoke(operation, request))

  await handler(event)

  expect(reported).toEqual([result('Failed')])
})

test('stops a release when the new versions may not read the key table', async () => {
  always(databaseResponses.accessDenied)

  await handler(event)

  expect(reported).toEqual([result('Failed')])
})

test('waits until IAM allows the invocation of the new versions', async () => {
  const denied = new Set<string>()
  lambda = (operation, request) => {
    if (denied.has(operation)) return invoke(operation, request)
    denied.add(operation)
    return Promise.resolve({
      status: 403,
      payload: { Message: 'User is not authorized to perform: lambda:InvokeFunction' },
    })
  }

  await handler(event)

  expect(reported).toEqual([result('Succeeded')])
})

test('fails, so that Lambda invokes it again, when CodeDeploy does not accept the result', async () => {
  codeDeployStatus = 400

  await expect(handler(event)).rejects.toThrow('CodeDeploy returned 400: {}')
})

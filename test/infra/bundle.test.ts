import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PetStoreStack } from '../../infra/pet-store-stack.ts'
import { stages } from '../../infra/stages.ts'
import { newApiKey } from '../../shared/model/api-key.ts'
import { functionOf, resource } from './template.ts'

let directory: string
let template: Template
const asked: IncomingMessage[] = []
// A DynamoDB that holds nothing.
const dynamodb = createServer((request, response) => {
  asked.push(request)
  response.setHeader('Content-Type', 'application/x-amz-json-1.0').end('{}')
})

beforeAll(async () => {
  await new Promise<void>((listening) => dynamodb.listen(0, '127.0.0.1', listening))
  directory = await mkdtemp(join(tmpdir(), 'pet-store-bundles-'))
  const app = new App({
    outdir: directory,
    builtinCloudFormationValidation: false,
    context: CURRENTLY_RECOMMENDED_FLAGS,
  })
  template = Template.fromStack(new PetStoreStack(app, 'Bundled', stages.staging))
}, 60_000)

afterAll(async () => {
  dynamodb.close()
  await rm(directory, { recursive: true })
})

const bundleOf = (operation: string): string => {
  const { S3Key } = resource(template, functionOf(template, operation)).Properties.Code
  return join(directory, `asset.${S3Key.replace('.zip', '')}`, 'index.js')
}

/** Calls a bundle as Lambda does: in a process that has nothing but the bundle and the function's environment. */
const call = async (operation: string) => {
  const script = `require(process.argv[1]).handler(JSON.parse(process.argv[2]), {})
    .then(({ statusCode }) => console.info({ statusCode }))`
  const event = {
    multiValueHeaders: { Authorization: [`Bearer ${newApiKey('test')}`] },
    requestContext: { requestId: 'r', path: '/v1/pets', resourcePath: '/pets' },
  }
  const env = {
    API_KEYS_TABLE: 'api-keys',
    KEY_PREFIX: 'test',
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${(dynamodb.address() as AddressInfo).port}`, // A string for pipes only.
  }
  const args = ['-e', script, bundleOf(operation), JSON.stringify(event)]
  return promisify(execFile)(process.execPath, args, { env, cwd: directory })
}

test.each(['listPets', 'createPet', 'getPet'])('the bundle of %s is small', async (operation) => {
  const { size } = await stat(bundleOf(operation))

  expect(size).toBeLessThan(250_000)
})

test.each(['listPets', 'createPet', 'getPet'])('the bundle of %s runs, and signs what it asks DynamoDB', async (id) => {
  asked.length = 0

  const { stdout, stderr } = await call(id)

  expect(stderr).toBe('')
  expect(stdout).toContain(`operation: '${id}'`)
  expect(stdout).toContain('{ statusCode: 401 }')
  expect(asked.map(({ headers }) => headers)).toEqual([
    expect.objectContaining({
      'x-amz-target': 'DynamoDB_20120810.GetItem',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/eu-central-1\/dynamodb\/aws4_request/,
      ),
    }),
  ])
})

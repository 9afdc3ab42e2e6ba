import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { App, Stack } from 'aws-cdk-lib'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { OperationFunction } from '../../../infra/stack/operation-function.ts'
import { Storage } from '../../../infra/stack/storage.ts'
import { ConfigurationError, stages } from '../../../infra/stages.ts'
import { entries, type OperationId, operationIds } from '../../../shared/contract.ts'
import { stringifyJson } from '../../../shared/model/json.ts'
import type { ProxyEvent } from '../../../shared/pipeline/gateway-event.ts'
import { type Bundles, makeBundles } from '../../support/bundles.ts'
import { proxy, retryOnBusyMachine, storedItem } from '../../support/database.ts'
import { eventOf } from '../../support/events.ts'
import { newPet } from '../../support/pets.ts'

let lean: Bundles
let stock: Bundles

beforeAll(() => {
  process.umask(0o077) // As strict as on some machines.
  lean = makeBundles()
  stock = makeBundles({ dynamoDBClient: 'sdk' }, ['createPet'])
}, 300_000) // esbuild makes a bundle for each operation.

/** The file that Lambda loads. */
const startOf = (operation: OperationId, bundles: Bundles): string =>
  join(bundles.folderOf(operation), bundles.handlerOf(operation).replace(/\.handler$/, '.mjs'))

const bundleOf = (operation: OperationId, bundles = lean): string =>
  join(bundles.folderOf(operation), 'index.js')

/** Runs a script in a process of its own; its arguments are an event and bundles. */
const run = (
  script: string,
  operations: readonly OperationId[],
  event: ProxyEvent,
  { bundles = lean, env = {} } = {},
) => {
  const starts = operations.map((operation) => startOf(operation, bundles))
  const args = ['--input-type=module', '-e', script, JSON.stringify(event), ...starts]
  return promisify(execFile)(process.execPath, args, {
    cwd: tmpdir(),
    env: { ...process.env, ...env },
  })
}

/** Invokes bundles as Lambda does, one after the other. */
const INVOKE = `const [event, ...starts] = process.argv.slice(1)
for (const start of starts) {
  const { handler } = await import(start)
  console.log('response ' + JSON.stringify(await handler(JSON.parse(event), {})))
}`

const responsesOf = async (
  operations: readonly OperationId[],
  event: ProxyEvent,
  bundles = lean,
) => {
  const { stdout, stderr } = await run(INVOKE, operations, event, { bundles })
  expect(stderr).toBe('')
  return [...stdout.matchAll(/^response (.*)$/gm)].map(([, response = '']) => JSON.parse(response))
}

// A package adds tens of thousands of bytes; `npx esbuild --bundle --analyze` shows what is large.
test.each(operationIds)('the bundle of %s is not too large', (operation) => {
  expect(statSync(bundleOf(operation)).size).toBeLessThan(140_000)
})

test('each bundle responds to a valid key', retryOnBusyMachine, async () => {
  // Its key is valid, but it is no request for most operations, and changes nothing.
  const responses = await responsesOf(operationIds, eventOf('listPets-no-parameters'))

  expect(responses).toHaveLength(operationIds.length)
  for (const { statusCode } of responses) expect(statusCode).toBeLessThan(500)
})

test.each([
  ['the lean DynamoDB client', () => lean],
  ["the SDK's client", () => stock],
])(
  'the bundle that creates with %s works with a database',
  retryOnBusyMachine,
  async (_, bundles) => {
    const pet = { ...newPet(), categoryId: 2n ** 63n - 1n }
    const event = eventOf('createPet-created', { body: stringifyJson(pet) })

    const [created] = await responsesOf(['createPet'], event, bundles())

    expect(created.statusCode).toBe(201)
    expect(await storedItem(JSON.parse(created.body).id)).toMatchObject(pet)
    expect(statSync(bundleOf('createPet', bundles())).size > 300_000).toBe(bundles() === stock)
  },
)

test('a bundle reads from DynamoDB during init in Lambda', async () => {
  const script = 'await import(process.argv[2]); process.exit()'

  await run(script, ['listPets'], eventOf('listPets-no-parameters'), {
    env: { AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand', API_KEYS_TABLE: 'Absent' },
  })

  expect(Object.keys(proxy.counts)).toEqual(['GetItem'])
})

test('a stack trace in the log has the names of the sources', async () => {
  const event = eventOf('listPets-no-parameters')

  const { stderr } = await run(INVOKE, ['listPets'], event, { env: { PETS_TABLE: '' } })

  expect(stderr).toContain('The environment variable PETS_TABLE is not set.')
  expect(stderr).toMatch(/at tableName \(.*index\.js:\d+:\d+\)/)
})

test.each([
  ["import { ScanCommand } from '@aws-sdk/lib-dynamodb'", 'ScanCommand'],
  ["import * as lib from '@aws-sdk/lib-dynamodb'", 'lib.paginateQuery'],
])(
  'refuses what the lean client lacks, and names the setting for the SDK: %s, %s',
  (line, used) => {
    const folder = mkdtempSync('node_modules/.bundle-') // CDK requires a folder of the project.
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'other.ts'), `${line}\nexport const handler = ${used}`)
    const stack = new Stack(new App({ outdir: join(folder, 'out') }), 'Stack')
    const storage = new Storage(stack, 'Storage', stages.staging)
    const props = { entry: entries.listPets, storage, stage: stages.staging }

    const message = expect.stringMatching(/no matching export, .+: set dynamoDBClient to 'sdk'/)
    expect(() => new OperationFunction(stack, `../${folder}/other`, props)).toThrow(
      expect.objectContaining({ constructor: ConfigurationError, message }),
    )
  },
)

test('Lambda can read each file of a bundle, also one that was made with a strict umask', () => {
  const folder = lean.folderOf('listPets')

  const modes = readdirSync(folder).map((file) => statSync(join(folder, file)).mode & 0o777)
  expect(modes).toEqual([0o644, 0o644, 0o644])
})

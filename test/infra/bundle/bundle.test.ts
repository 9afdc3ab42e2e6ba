import '../../support/database.ts'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { descriptions, fieldDescriptions, parameterDescriptions } from '../../../infra/openapi/descriptions.ts'
import type { OperationId } from '../../../shared/contract.ts'
import type { Event } from '../../../shared/http.ts'
import { type Bundles, makeBundles } from '../../support/bundles.ts'
import { eventOf } from '../../support/events.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'

let bundles: Bundles

beforeAll(() => {
  bundles = makeBundles()
})

afterAll(() => bundles.remove())

const operations = ['listPets', 'createPet', 'getPet'] as const

/** The file that Lambda loads. */
const startOf = (operation: OperationId): string =>
  join(bundles.folderOf(operation), bundles.handlerOf(operation).replace(/\.handler$/, '.mjs'))

const bundleOf = (operation: OperationId): string => join(bundles.folderOf(operation), 'index.js')

/** Runs a script in a process of its own; its arguments are the bundle and `event`. */
const run = (script: string, operation: OperationId, event: Event, env = process.env) => {
  const args = ['-e', script, startOf(operation), JSON.stringify(event)]
  return promisify(execFile)(process.execPath, args, { cwd: tmpdir(), env })
}

/** Invokes a bundle as Lambda does. */
const INVOKE = `import(process.argv[1])
  .then(({ handler }) => handler(JSON.parse(process.argv[2]), {}))
  .then((result) => process.stdout.write('\\n' + JSON.stringify(result)))`

const responseOf = async (operation: OperationId, event: Event) => {
  const { stdout, stderr } = await run(INVOKE, operation, event)
  expect(stderr).toBe('')
  return JSON.parse(stdout.split('\n').at(-1) ?? '')
}

// Raise a limit only for a good reason; `npm run bench -- --bundle` shows what a bundle contains.
test.each([
  ['listPets', 38_000],
  ['createPet', 40_000],
  ['getPet', 37_000],
] as const)('the bundle of %s has at most %i bytes', async (operation, limit) => {
  const { size } = await stat(bundleOf(operation))

  expect(size).toBeLessThanOrEqual(limit)
})

test.each(operations)('the bundle of %s contains no text of the documentation', (operation) => {
  const text = readFileSync(bundleOf(operation), 'utf8')

  const words = [descriptions, fieldDescriptions, parameterDescriptions].flatMap(Object.values)
  expect(words.filter((some) => text.includes(some))).toEqual([])
})

test('the bundles work with a database', async () => {
  const body = '{"name":"Rex","categoryId":9223372036854775807}'

  const created = await responseOf('createPet', eventOf('createPet-created', { body }))
  const listed = await responseOf('listPets', eventOf('listPets-no-parameters'))
  const missing = await responseOf('getPet', eventOf('getPet-unknown-id'))

  expect(created).toMatchObject({ statusCode: 201, body: expect.stringContaining('"categoryId":9223372036854775807') })
  expect(listed).toMatchObject({ statusCode: 200, body: `[${created.body}]` })
  expect(missing).toMatchObject({ statusCode: 404 })
})

test('a bundle reads from DynamoDB during init in Lambda', async () => {
  const proxy = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '')
  const script = 'import(process.argv[1]).then(() => process.exit())'

  await run(script, 'getPet', eventOf('getPet-found'), {
    ...process.env,
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    API_KEYS_TABLE: 'Absent',
    AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
  })

  expect(proxy.counts).toEqual({ GetItem: 1 })
})

test('a stack trace in the log has lines of the sources', async () => {
  const { stderr } = await run(INVOKE, 'getPet', eventOf('getPet-unknown-id'), { ...process.env, PETS_TABLE: '' })

  expect(stderr).toContain('The environment variable PETS_TABLE is not set.')
  expect(stderr).toMatch(/at .*shared\/data\/tables\.ts:\d+:\d+/)
})

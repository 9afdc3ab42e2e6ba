import '../../support/database.ts'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { descriptions, fieldDescriptions, parameterDescriptions, summaries } from '../../../infra/openapi/words.ts'
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

/** What Lambda loads. */
const startOf = (operation: OperationId): string =>
  join(bundles.folderOf(operation), bundles.handlerOf(operation).replace(/\.handler$/, '.mjs'))

const bundleOf = (operation: OperationId): string => join(bundles.folderOf(operation), 'index.js')

/** Runs a bundle in a process that has nothing else. */
const run = (operation: OperationId, event: Event, env = process.env) => {
  const script = `import(process.argv[1])
    .then(({ handler }) => handler(JSON.parse(process.argv[2]), {}))
    .then((result) => process.stdout.write('\\n' + JSON.stringify(result)))`
  const args = ['-e', script, startOf(operation), JSON.stringify(event)]
  return promisify(execFile)(process.execPath, args, { cwd: tmpdir(), env })
}

/** Calls a bundle with an event, as Lambda does. */
const call = async (operation: OperationId, event: Event) => {
  const { stdout, stderr } = await run(operation, event)
  expect(stderr).toBe('')
  return JSON.parse(stdout.split('\n').at(-1) ?? '')
}

// Raise a budget for what it pays for; `npm run bench -- --bundle` shows what is in a bundle.
test.each([
  ['listPets', 58_000],
  ['createPet', 59_000],
  ['getPet', 57_000],
] as const)('the bundle of %s is not larger than %i bytes', async (operation, budget) => {
  const { size } = await stat(bundleOf(operation))

  expect(size).toBeLessThanOrEqual(budget)
})

test.each(operations)('the bundle of %s has nothing that only describes', (operation) => {
  const text = readFileSync(bundleOf(operation), 'utf8')

  const words = [summaries, descriptions, fieldDescriptions, parameterDescriptions].flatMap(Object.values)
  expect(words.filter((some) => text.includes(some))).toEqual([])
})

test('the bundles work against a database as the sources do', async () => {
  const created = await call(
    'createPet',
    eventOf('createPet-created', { body: '{"name":"Rex","categoryId":9223372036854775807}' }),
  )
  const listed = await call('listPets', eventOf('listPets-no-parameters'))
  const missing = await call('getPet', eventOf('getPet-unknown-id'))

  expect(created).toMatchObject({ statusCode: 201, body: expect.stringContaining('"categoryId":9223372036854775807') })
  expect(listed).toMatchObject({ statusCode: 200, body: `[${created.body}]` })
  expect(missing).toMatchObject({ statusCode: 404 })
})

test('a bundle that Lambda starts reads before it is called', async () => {
  const env = { ...process.env, AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand', API_KEYS_TABLE: 'Absent' }
  const proxy = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '')
  const script = "import(process.argv[1]).then(() => process.stdout.write('loaded'))"

  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, startOf('getPet')], {
    cwd: tmpdir(),
    env: { ...env, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint },
  })

  expect([stdout, proxy.counts]).toEqual(['loaded', { GetItem: 1 }])
})

test('a stack trace in the log names lines of the sources', async () => {
  const { stderr } = await run('getPet', eventOf('getPet-unknown-id'), { ...process.env, PETS_TABLE: '' })

  expect(stderr).toContain('The environment variable PETS_TABLE is not set.')
  expect(stderr).toMatch(/at .*shared\/data\/tables\.ts:\d+:\d+/)
})

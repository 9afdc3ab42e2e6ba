import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PetStoreStack } from '../../infra/pet-store-stack.ts'
import { stages } from '../../infra/stages.ts'
import '../support/database.ts'
import { functionOf, resource } from './template.ts'

let directory: string
let template: Template

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pet-store-bundles-'))
  const context = CURRENTLY_RECOMMENDED_FLAGS
  const app = new App({ outdir: directory, builtinCloudFormationValidation: false, context })
  template = Template.fromStack(new PetStoreStack(app, 'Bundled', stages.staging))
})

afterAll(() => rm(directory, { recursive: true }))

const bundleOf = (operation: string): string => {
  const { S3Key } = resource(template, functionOf(template, operation)).Properties.Code
  return join(directory, `asset.${S3Key.replace('.zip', '')}`, 'index.js')
}

/** Calls a bundle with an event of test/events, as Lambda does: in a process that has nothing but the bundle. */
const call = async (operation: string, fixture: string) => {
  const script = `require(process.argv[1]).handler(JSON.parse(process.argv[2]), {})
    .then((result) => process.stdout.write('\\n' + JSON.stringify(result)))`
  const event = await readFile(`test/events/${fixture}.json`, 'utf8')
  const args = ['-e', script, bundleOf(operation), event]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: directory })
  expect(stderr).toBe('')
  return JSON.parse(stdout.split('\n').at(-1) ?? '')
}

test.each(['listPets', 'createPet', 'getPet'])('the bundle of %s is small', async (operation) => {
  const { size } = await stat(bundleOf(operation))

  expect(size).toBeLessThan(250_000)
})

test('the bundles work against a database as the sources do', async () => {
  const created = await call('createPet', 'createPet-int64-maximum')
  const listed = await call('listPets', 'listPets-no-parameters')
  const missing = await call('getPet', 'getPet-unknown-id')

  expect(created).toMatchObject({ statusCode: 201, body: expect.stringContaining('"categoryId":9223372036854775807') })
  expect(listed).toMatchObject({ statusCode: 200, body: `[${created.body}]` })
  expect(missing).toMatchObject({ statusCode: 404 })
})

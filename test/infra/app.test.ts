import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

let directory: string
let printed: { stdout: string; stderr: string }

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pet-store-app-'))
  // What the CDK's command line tool does, less the bundles. No region, no credentials, no home directory.
  const env = { CDK_OUTDIR: directory, CDK_CONTEXT_JSON: '{"aws:cdk:bundling-stacks":[]}', PATH: process.env.PATH }
  printed = await promisify(execFile)(process.execPath, ['infra/app.ts'], { env })
})

afterAll(() => rm(directory, { recursive: true }))

const read = async (file: string) => JSON.parse(await readFile(join(directory, file), 'utf8'))

test('makes one stack a stage', async () => {
  const { artifacts } = await read('manifest.json')

  const stacks = Object.keys(artifacts).filter((name) => artifacts[name].type === 'aws:cloudformation:stack')
  expect(stacks).toEqual(['PetStoreStaging', 'PetStoreProduction'])
})

test.each([
  ['PetStoreStaging', 'test'],
  ['PetStoreProduction', 'live'],
])('%s takes API keys that start with pet_%s_', async (stack, prefix) => {
  const { Resources } = await read(`${stack}.template.json`)

  const functions = Object.values<{ Type: string; Properties: { Environment: { Variables: { KEY_PREFIX: string } } } }>(
    Resources,
  ).filter(({ Type }) => Type === 'AWS::Lambda::Function')
  const prefixes = functions.map(({ Properties }) => Properties.Environment.Variables.KEY_PREFIX)
  expect(new Set(prefixes)).toEqual(new Set([prefix]))
})

test('warns of nothing', async () => {
  const annotations = await Promise.all(
    ['PetStoreStaging', 'PetStoreProduction'].map((stack) =>
      readFile(join(directory, `${stack}.metadata.json`), 'utf8'),
    ),
  )

  expect(printed).toEqual({ stdout: '', stderr: '' })
  expect(annotations.join()).not.toMatch(/aws:cdk:(warning|error)/)
})

test('leaves no feature flag undecided, of which the command line tool would warn', async () => {
  const { artifacts } = await read('manifest.json')

  const flags = Object.entries<Flag>(artifacts['aws-cdk-lib/feature-flag-report'].properties.flags)
  const undecided = flags.filter(
    ([, flag]) => flag.userValue === undefined && (flag.unconfiguredBehavesLike?.v2 ?? false) !== flag.recommendedValue,
  )
  expect(flags.length).toBeGreaterThan(0)
  expect(undecided).toEqual([])
})

type Flag = { userValue?: unknown; recommendedValue: unknown; unconfiguredBehavesLike?: { v2: unknown } }

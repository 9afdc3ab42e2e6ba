import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { App } from 'aws-cdk-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PetStoreStack } from '../../infra/stack/pet-store-stack.ts'
import { checkStage, readContext, type Stage, StageError, stages } from '../../infra/stages.ts'

/** Runs the app as the CDK command does, but without bundling, and without a region, credentials or home directory. */
const runApp = (folder: string, context: object) => {
  const CDK_CONTEXT_JSON = JSON.stringify({ 'aws:cdk:bundling-stacks': [], ...context })
  const env = { CDK_OUTDIR: folder, CDK_CONTEXT_JSON, PATH: process.env.PATH }
  return promisify(execFile)(process.execPath, ['infra/app.ts'], { env })
}

describe('the app, with a prefix and a release in its context,', () => {
  let folder: string
  let printed: { stdout: string; stderr: string }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pet-store-app-'))
    printed = await runApp(folder, { prefix: 'Blue', release: 'all-at-once' })
  })

  afterAll(() => rm(folder, { recursive: true }))

  const read = async (file: string) => JSON.parse(await readFile(join(folder, file), 'utf8'))

  test('has one stack for each stage, with the prefix in its name', async () => {
    const { artifacts } = await read('manifest.json')

    const names = Object.keys(artifacts).filter((name) => artifacts[name].type === 'aws:cloudformation:stack')
    expect(names).toEqual(['BluePetStoreStaging', 'BluePetStoreProduction'])
  })

  test.each([
    ['BluePetStoreStaging', 'test'],
    ['BluePetStoreProduction', 'live'],
  ])('%s accepts API keys that start with pet_%s_, and releases all at once', async (stack, prefix) => {
    const { Resources } = await read(`${stack}.template.json`)
    const resources = Object.values<{ Type: string; Properties: Properties }>(Resources)

    const prefixes = resources
      .filter(({ Type }) => Type === 'AWS::Lambda::Function')
      .map(({ Properties }) => Properties.Environment.Variables.KEY_PREFIX)
    expect(new Set(prefixes)).toEqual(new Set([prefix]))
    expect(resources.map(({ Type }) => Type)).not.toContain('AWS::CodeDeploy::DeploymentGroup')
  })

  test('prints nothing and warns of nothing', async () => {
    const staging = await readFile(join(folder, 'BluePetStoreStaging.metadata.json'), 'utf8')
    const production = await readFile(join(folder, 'BluePetStoreProduction.metadata.json'), 'utf8')

    expect(printed).toEqual({ stdout: '', stderr: '' })
    expect(staging + production).not.toMatch(/aws:cdk:(warning|error)/)
  })

  test('sets every feature flag that the CDK command would otherwise warn of', async () => {
    const { artifacts } = await read('manifest.json')

    const flags = Object.entries<Flag>(artifacts['aws-cdk-lib/feature-flag-report'].properties.flags)
    const unset = flags.filter(
      ([, flag]) =>
        flag.userValue === undefined && (flag.unconfiguredBehavesLike?.v2 ?? false) !== flag.recommendedValue,
    )
    expect(flags.length).toBeGreaterThan(0)
    expect(unset).toEqual([])
  })

  type Properties = { Environment: { Variables: { KEY_PREFIX: string } } }
  type Flag = { userValue?: unknown; recommendedValue: unknown; unconfiguredBehavesLike?: { v2: unknown } }
})

test('the app fails with one sentence for an invalid context', async () => {
  const running = runApp('/nowhere', { release: 'now' })

  const stderr = 'The context value "release" must be canary or all-at-once.\n'
  await expect(running).rejects.toMatchObject({ code: 1, stdout: '', stderr })
})

describe('the CDK context', () => {
  const read = (context: Record<string, string>) => readContext(new App({ context }))

  test.each(['1', 'a b', '-a', 'ä', 'a'.repeat(101)])('must not have the prefix %s', (prefix) => {
    expect(() => read({ prefix })).toThrow(
      new StageError(
        'The context value "prefix" must start with a letter and have at most 100 letters, digits and hyphens.',
      ),
    )
  })

  test.each(['', 'Blue', 'team-1-', 'a'.repeat(100)])('may have the prefix "%s"', (prefix) => {
    expect(read({ prefix })).toEqual({ prefix, change: {} })
  })

  test.each(['canary', 'all-at-once'])('may change the release to %s', (release) => {
    expect(read({ release })).toEqual({ prefix: '', change: { release } })
  })

  test('changes nothing by default', () => {
    expect(read({})).toEqual({ prefix: '', change: {} })
  })
})

describe('a stage', () => {
  const check = (changes: Partial<Stage>) => () => checkStage('PetStoreStaging', { ...stages.staging, ...changes })

  test.each([
    [1, 2],
    [0, 0],
    [1, 0],
    [2, -1],
    [2, 1.5],
    [Number.NaN, 1],
  ])('must not have readShards %d with writeShards %d', (readShards, writeShards) => {
    expect(check({ readShards, writeShards })).toThrow(
      new StageError(
        `PetStoreStaging has readShards ${readShards} and writeShards ${writeShards}. Both must be positive integers, ` +
          'and writeShards must not exceed readShards, because lists miss pets in partitions that are not read.',
      ),
    )
  })

  test.each([
    [1, 1],
    [4, 1],
    [4, 4],
  ])('may have readShards %d with writeShards %d', (readShards, writeShards) => {
    expect(check({ readShards, writeShards })).not.toThrow()
  })

  test.each([0, 36, 1.5])('must not have recoveryDays %d', (recoveryDays) => {
    expect(check({ recoveryDays })).toThrow(
      new StageError(`PetStoreStaging has recoveryDays ${recoveryDays}. It must be an integer from 1 to 35.`),
    )
  })

  const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/0f5fcd1c'
  const domainName = 'api.example.com'
  const hostedZone = { id: 'Z0123456789', name: 'example.com' }
  const DOMAIN = 'PetStoreStaging must have both domainName and certificateArn, or neither; hostedZone needs both.'

  test.each([
    ['only a certificate', { certificateArn }],
    ['only a domain name', { domainName }],
    ['only a hosted zone', { hostedZone }],
    ['a hosted zone and a certificate', { hostedZone, certificateArn }],
    ['a hosted zone and a domain name', { hostedZone, domainName }],
  ])('must not have %s', (_, changes) => {
    expect(check(changes)).toThrow(new StageError(DOMAIN))
  })

  test('is checked before it is synthesized', () => {
    const stage = { ...stages.staging, domainName }

    expect(() => new PetStoreStack(new App(), 'PetStoreStaging', stage)).toThrow(new StageError(DOMAIN))
  })
})

import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { App, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks } from 'cdk-nag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PetStoreStack } from '../../infra/stack/pet-store-stack.ts'
import { checkStage, readContext, type Stage, StageError, stages } from '../../infra/stages.ts'
import { leastEnvironment } from '../support/server.ts'
import { everyOption, synthesize } from './stack/template.ts'

const folder = mkdtempSync(join(tmpdir(), 'pet-store-app-'))
afterAll(() => rmSync(folder, { recursive: true }))

/**
 * Runs the app as the CDK command does, but without a region, credentials or home directory, and without bundling and
 * CDK's own validation of the templates: they take seconds, and `cdk synth` does both.
 */
const runApp = (context: object) => {
  const CDK_CONTEXT_JSON = JSON.stringify({ 'aws:cdk:bundling-stacks': [], ...context })
  const env = { ...leastEnvironment, CDK_OUTDIR: folder, CDK_CONTEXT_JSON, CDK_VALIDATION: 'false' }
  return promisify(execFile)(process.execPath, ['infra/app.ts'], { env })
}

describe('the app, with a prefix and a release in its context,', () => {
  beforeAll(async () => {
    await runApp({ prefix: 'Blue', release: 'all-at-once' })
  })

  const read = (file: string) => readFileSync(join(folder, file), 'utf8')

  test.each([
    ['BluePetStoreStaging', 'test'],
    ['BluePetStoreProduction', 'live'],
  ])('has the stack %s, which accepts API keys that start with pet_%s_', (stack, keyPrefix) => {
    const template = read(`${stack}.template.json`)
    const { artifacts } = JSON.parse(read('manifest.json'))

    const prefixes = template.matchAll(/"KEY_PREFIX": "(\w+)"/g)
    expect(new Set([...prefixes].map(([, prefix]) => prefix))).toEqual(new Set([keyPrefix]))
    expect(template).not.toContain('AWS::CodeDeploy')
    expect(artifacts[stack].properties).toMatchObject({
      terminationProtection: keyPrefix === 'live',
      tags: { service: 'pet-store', stage: keyPrefix === 'live' ? 'production' : 'staging' },
    })
    const warnings = read(`${stack}.metadata.json`).match(/"aws:cdk:(warning|error)",\s+"data": ".+"/g)
    expect(warnings).toEqual([expect.stringContaining(`Nobody gets the alarms of ${stack}. Set alarmEmail`)])
  })

  test('sets every feature flag that the CDK command would otherwise warn of', () => {
    const { artifacts } = JSON.parse(read('manifest.json'))

    type Flag = { userValue?: unknown; recommendedValue: unknown; unconfiguredBehavesLike?: { v2: unknown } }
    const flags = Object.values<Flag>(artifacts['aws-cdk-lib/feature-flag-report'].properties.flags)
    const unset = flags.filter(({ userValue }) => userValue === undefined)
    expect(flags.length).toBeGreaterThan(0)
    for (const { unconfiguredBehavesLike, recommendedValue } of unset)
      expect(unconfiguredBehavesLike?.v2 ?? false).toBe(recommendedValue)
  })
})

test('the app fails with one sentence for an invalid context', async () => {
  const stderr = 'The context value "release" must be canary or all-at-once.\n'

  await expect(runApp({ release: 'now' })).rejects.toMatchObject({ code: 1, stdout: '', stderr })
})

describe('the CDK context', () => {
  const read = (context: Record<string, string>) => readContext(new App({ context }))

  test.each(['1', 'a b', 'ä', 'a'.repeat(101)])('must not have the prefix %s', (prefix) => {
    const message =
      'The context value "prefix" must start with a letter and have at most 100 letters, digits and hyphens.'

    expect(() => read({ prefix })).toThrow(new StageError(message))
  })

  test.each([
    [{}, '', {}],
    [{ prefix: '' }, '', {}],
    [{ prefix: 'team-1-' }, 'team-1-', {}],
    [{ prefix: 'a'.repeat(100) }, 'a'.repeat(100), {}],
    [{ release: 'canary' }, '', { release: 'canary' }],
    [{ release: 'all-at-once' }, '', { release: 'all-at-once' }],
  ])('may be %o', (context, prefix, change) => {
    expect(read(context)).toEqual({ prefix, change })
  })
})

describe('a stage', () => {
  const check = (changes: Partial<Stage>) => () => checkStage('PetStoreStaging', { ...stages.staging, ...changes })

  test.each([
    [1, 2],
    [1, 0],
    [2, 1.5],
    [Number.NaN, 1],
  ])('must not have readShards %d with writeShards %d', (readShards, writeShards) => {
    const message =
      `PetStoreStaging has readShards ${readShards} and writeShards ${writeShards}. Both must be positive integers, ` +
      'and writeShards must not exceed readShards, because lists miss pets in partitions that are not read.'

    expect(check({ readShards, writeShards })).toThrow(new StageError(message))
  })

  test('may have several shards, and more readShards than writeShards', () => {
    expect(check({ readShards: 4, writeShards: 1 })).not.toThrow()
    expect(check({ readShards: 4, writeShards: 4 })).not.toThrow()
  })

  test.each([0, 36, 1.5])('must not have recoveryDays %d', (recoveryDays) => {
    const message = `PetStoreStaging has recoveryDays ${recoveryDays}. It must be an integer from 1 to 35.`

    expect(check({ recoveryDays })).toThrow(new StageError(message))
  })

  const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/0f5fcd1c'
  const domainName = 'api.example.com'
  const hostedZone = { id: 'Z0123456789', name: 'example.com' }

  test.each([
    { certificateArn },
    { domainName },
    { hostedZone },
    { hostedZone, certificateArn },
    { hostedZone, domainName },
    { domainOnly: true },
  ])('must not have a part of a custom domain: %o', (changes) => {
    const message =
      'PetStoreStaging must have both domainName and certificateArn, or neither; hostedZone and domainOnly need both.'

    expect(check(changes)).toThrow(new StageError(message))
  })

  test.each([
    [
      { reservedConcurrency: 4, provisionedConcurrency: 5 },
      'provisionedConcurrency 5, but reservedConcurrency 4. A function cannot keep more instances warm than may run.',
    ],
    [
      { release: 'canary', provisionedConcurrency: 5 },
      'provisionedConcurrency and the release canary. Lambda allows no provisioned concurrency while an alias has two ' +
        'versions. Set the release to all-at-once.',
    ],
  ] as const)('must not have %o', (changes, message) => {
    expect(check(changes)).toThrow(new StageError(`PetStoreStaging has ${message}`))
  })

  test('may have provisioned concurrency up to its reserved concurrency', () => {
    expect(check({ reservedConcurrency: 5, provisionedConcurrency: 5 })).not.toThrow()
    expect(check({ provisionedConcurrency: 5 })).not.toThrow()
  })

  test('is checked before its stack is created', () => {
    const stage = { ...stages.staging, recoveryDays: 0 }

    expect(() => new PetStoreStack(new App(), 'PetStoreStaging', stage)).toThrow(StageError)
  })
})

const managed = (policy: string) => `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${policy}]`

describe('cdk-nag (AwsSolutions)', () => {
  test.each([
    ['staging', 'staging', {}],
    ['production', 'production', {}],
    ['production with every option', 'production', everyOption],
  ] as const)('reports only accepted findings in %s', (_, name, options) => {
    const { violations } = new AwsSolutionsChecks().validateScope(synthesize(name, options).stack)

    expect(violations).toEqual([])
  })

  test('production accepts exactly these findings', () => {
    const { stack } = synthesize('production')
    const accepted = stack.node.findAll().flatMap(({ node }) =>
      node.metadata
        .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .flatMap(({ data }) => Object.keys(data))
        .map((rule) => `${node.path.replace(`${stack}/`, '')}: ${rule.replace('Annotation::', '')}`),
    )

    expect(accepted.sort()).toEqual(
      [
        ...['APIG2', 'APIG3', 'APIG4', 'APIG6', 'COG4'].map((rule) => `Api/RestApi: AwsSolutions-${rule}`),
        `Api/RestApi: ${managed('service-role/AmazonAPIGatewayPushToCloudWatchLogs')}`,
        `Release/Role: ${managed('service-role/AWSCodeDeployRoleForLambdaLimited')}`,
      ].sort(),
    )
  })
})

import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { App } from 'aws-cdk-lib'
import { AwsSolutionsChecks } from 'cdk-nag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ServiceStack } from '../../infra/stack/service-stack.ts'
import {
  ConfigurationError,
  readContext,
  type Stage,
  stackName,
  stages,
} from '../../infra/stages.ts'
import { service } from '../../shared/service.ts'
import { leastEnvironment } from '../support/server.ts'
import { everyOption, synthesize } from './stack/template.ts'

const folder = mkdtempSync(join(tmpdir(), 'app-'))
afterAll(() => rmSync(folder, { recursive: true }))

/**
 * Runs the app as the CDK command does, but without a region, credentials or home directory, and
 * without bundling and CDK's own validation of the templates: they take seconds, and `cdk synth`
 * does both.
 */
const runApp = (context: object) => {
  const CDK_CONTEXT_JSON = JSON.stringify({ 'aws:cdk:bundling-stacks': [], ...context })
  const env = { ...leastEnvironment, CDK_OUTDIR: folder, CDK_CONTEXT_JSON, CDK_VALIDATION: 'false' }
  return promisify(execFile)(process.execPath, ['infra/app.ts'], { env })
}

// The longest prefix.
const prefix = `Blue-${'a'.repeat(95)}`

describe('the app, with a prefix and a release in its context,', () => {
  beforeAll(async () => {
    await runApp({ prefix, release: 'all-at-once' })
  })

  const read = (file: string) => readFileSync(join(folder, file), 'utf8')

  test('has a stack of each stage', () => {
    const { artifacts } = JSON.parse(read('manifest.json'))

    const stacks = Object.keys(artifacts).filter(
      (name) => artifacts[name].type === 'aws:cloudformation:stack',
    )
    expect(stacks.sort()).toEqual(
      Object.values(stages)
        .map((stage) => `${prefix}${stackName(stage)}`)
        .sort(),
    )
  })

  test.each([
    [`${prefix}${service.stack}Staging`, 'test'],
    [`${prefix}${service.stack}Production`, 'live'],
  ])('has the stack %s, which accepts API keys with the prefix %s', (stack, keyPrefix) => {
    const template = read(`${stack}.template.json`)
    const { artifacts } = JSON.parse(read('manifest.json'))

    const prefixes = template.matchAll(/"KEY_PREFIX": "(\w+)"/g)
    expect(new Set([...prefixes].map(([, prefix]) => prefix))).toEqual(new Set([keyPrefix]))
    expect(template).not.toContain('AWS::CodeDeploy')
    expect(artifacts[stack].properties).toMatchObject({
      terminationProtection: keyPrefix === 'live',
      tags: { service: service.name, stage: keyPrefix === 'live' ? 'production' : 'staging' },
    })
    const warnings = read(`${stack}.metadata.json`).match(
      /"aws:cdk:(warning|error)",\s+"data": ".+"/g,
    )
    expect(warnings).toEqual([
      expect.stringContaining(`Nobody gets the alarms of ${stack}. Set alarmEmail`),
    ])
  })
})

test('the app fails with one sentence for an invalid context', async () => {
  const stderr = 'The context value "release" must be canary or all-at-once.\n'

  await expect(runApp({ release: 'now' })).rejects.toMatchObject({ code: 1, stdout: '', stderr })
})

test.each(['1', 'a b', 'ä', 'a'.repeat(101)])(
  'the CDK context must not have the prefix %s',
  (prefix) => {
    const message =
      'The context value "prefix" must start with a letter and have at most 100 letters, digits and hyphens.'

    expect(() => readContext(new App({ context: { prefix } }))).toThrow(
      new ConfigurationError(message),
    )
  },
)

describe('a stage', () => {
  const NAME = 'OneStage'
  const stackWith = (changes: Partial<Stage>) =>
    new ServiceStack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), NAME, {
      ...stages.staging,
      ...changes,
    })
  const { certificateArn, domainName, hostedZone } = everyOption
  const DOMAIN =
    'must have both domainName and certificateArn, or neither; hostedZone and domainOnly need both.'
  const LIMIT =
    'has a clientLimit that AWS WAF refuses. Both numbers must be integers of at least 10.'
  const shards = (read: number, write: number) =>
    `has readShards ${read} and writeShards ${write}. Both must be positive integers, and writeShards must not exceed ` +
    'readShards, because lists miss items in partitions that are not read.'

  test.each([
    [{ readShards: 1, writeShards: 2 }, shards(1, 2)],
    [{ readShards: 1, writeShards: 0 }, shards(1, 0)],
    [{ clientLimit: { key: 9, address: 100 } }, LIMIT],
    [{ clientLimit: { key: 100, address: 10.5 } }, LIMIT],
    [{ recoveryDays: 0 }, 'has recoveryDays 0. It must be an integer from 1 to 35.'],
    [{ recoveryDays: 36 }, 'has recoveryDays 36. It must be an integer from 1 to 35.'],
    [{ certificateArn }, DOMAIN],
    [{ domainName }, DOMAIN],
    [{ hostedZone }, DOMAIN],
    [{ domainOnly: true }, DOMAIN],
    [
      { reservedConcurrency: 4, provisionedConcurrency: 5 },
      'has provisionedConcurrency 5, but reservedConcurrency 4. A function cannot keep more environments initialized than may run.',
    ],
    [
      { release: 'canary', provisionedConcurrency: 1 },
      'has provisionedConcurrency and the release canary. Lambda allows no provisioned concurrency while an alias has two ' +
        'versions. Set the release to all-at-once.',
    ],
  ] satisfies [Partial<Stage>, string][])('must not have %o', (changes, message) => {
    expect(() => stackWith(changes)).toThrow(new ConfigurationError(`${NAME} ${message}`))
  })

  test('must have each setting whose only value is for a developer machine', () => {
    const message = 'The stage staging has no keyPrefix. Set it in infra/stages.ts.'

    expect(() => stackWith({ keyPrefix: undefined })).toThrow(new ConfigurationError(message))
  })

  test('may name its account and region', () => {
    const { account, region } = stackWith({ account: '123456789012', region: 'eu-central-1' })

    expect([account, region]).toEqual(['123456789012', 'eu-central-1'])
  })
})

// Accepted findings are acknowledged in infra/stack, at the constructs that they are about.
test.each([
  ...Object.values(stages).map(({ name }) => [name, {}] as const),
  ['production', everyOption] as const,
])('cdk-nag (AwsSolutions) reports only accepted findings in %s with %o', (name, options) => {
  const { violations } = new AwsSolutionsChecks().validateScope(synthesize(name, options).stack)

  expect(violations).toEqual([])
})

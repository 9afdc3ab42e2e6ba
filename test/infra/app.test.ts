import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { App } from 'aws-cdk-lib'
import { AwsSolutionsChecks } from 'cdk-nag'
import { expect, test } from 'vitest'
import { ServiceStack } from '../../infra/stack/service-stack.ts'
import { deployedStage, type Stage, stackName, stages, stageWarnings } from '../../infra/stages.ts'
import { leastEnvironment, temporaryFolder } from '../support/server.ts'
import { everyOption, onlyId, synthesize } from './stack/template.ts'

const folder = temporaryFolder()

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

const read = (file: string) => readFileSync(join(folder, file), 'utf8')

test('the app has a stack of each stage, with a prefix and a release from its context', async () => {
  await runApp({ prefix: 'Blue-', release: 'all-at-once' })

  const { artifacts } = JSON.parse(read('manifest.json'))
  for (const each of Object.values(stages)) {
    const { name, keyPrefix, deletionProtection, alarmEmail }: Stage = each
    const stack = `Blue-${stackName(each)}`
    const template = read(`${stack}.template.json`)
    expect(new Set(template.match(/(?<="KEY_PREFIX": ")\w+/g))).toEqual(new Set([keyPrefix]))
    expect(template).not.toContain('AWS::CodeDeploy')
    expect(artifacts[stack].properties).toMatchObject({
      terminationProtection: deletionProtection,
      tags: { service: 'pet-store', stage: name },
    })
    const warnings = read(`${stack}.metadata.json`).match(
      /"aws:cdk:(warning|error)",\s+"data": ".+"/g,
    )
    const warning = expect.stringContaining(`${stack} sends its alarms to nobody. Set alarmEmail`)
    expect(warnings).toEqual(alarmEmail ? null : [warning])
  }
})

test('a copy with a prefix has no tables, addresses, limits or mail of its stage', () => {
  const stage: Stage = { ...stages.staging, ...everyOption, adopt: { pets: ['restored'] } }

  const copy = deployedStage(stage, { prefix: 'Blue', release: 'canary' })

  const { dynamoDBClient } = everyOption
  expect(copy).toEqual({ ...stages.staging, dynamoDBClient, release: 'canary' })
  expect(deployedStage(stage, {})).toEqual(stage)
})

test.each([
  [12, 'canary', []],
  [13, 'canary', [expect.stringMatching(/^releases 13 operations by a canary, which may fail/)]],
] as const)('warns of too many operations for a canary: %d, %s', (count, release, expected) => {
  const stage: Stage = { ...stages.production, ...everyOption, release }

  expect(Object.values(stageWarnings(stage, count))).toEqual(expected)
})

test.each(['my_branch', '42-', 'feature/x', 'a'.repeat(65)])('refuses the prefix %s', (prefix) => {
  const message = 'The context value "prefix" must be a letter, and up to 63 letters, digits and'
  expect(() => deployedStage(stages.staging, { prefix })).toThrow(message)
})

test('the app fails with one sentence for an invalid context', async () => {
  const stderr = 'The context value "release" must be canary or all-at-once.\n'

  await expect(runApp({ release: 'now' })).rejects.toMatchObject({ code: 1, stdout: '', stderr })
})

const stackWith = (changes: Partial<Stage>) => {
  const context = { 'aws:cdk:bundling-stacks': [] }
  return new ServiceStack(new App({ context }), 'OneStage', { ...stages.staging, ...changes })
}
const { certificateArn, domainName } = everyOption
const DOMAIN = 'OneStage must have both domainName and certificateArn, or neither;'

test.each<[Partial<Stage>, string]>([
  [{ readShards: 1, writeShards: 2 }, 'OneStage has readShards 1 and writeShards 2. Both must'],
  [{ readShards: 1, writeShards: 0 }, 'OneStage has readShards 1 and writeShards 0. Both must'],
  [{ certificateArn }, DOMAIN],
  [{ domainName }, DOMAIN],
  [{ domainOnly: true }, DOMAIN],
  [
    { firewall: { perAddress: 9, perKey: 10 } },
    'OneStage must have a firewall with integers of at',
  ],
  [
    { firewall: { perAddress: 10, perKey: 10.5 } },
    'OneStage must have a firewall with integers of',
  ],
  ...[
    'http://shop.example.com/api',
    'https://shop.example.com/',
    'https://me:secret@shop.example.com/api',
  ].map((publicBaseUrl): [Partial<Stage>, string] => [
    { publicBaseUrl },
    'OneStage must have a publicBaseUrl such as https://shop.example.com/api: with https, and',
  ]),
])('a stage must not have %o', (changes, message) => {
  expect(() => stackWith(changes)).toThrow(message)
})

test('a stage may name its account and region', () => {
  const { account, region } = stackWith({ account: '123456789012', region: 'eu-central-1' })

  expect([account, region]).toEqual(['123456789012', 'eu-central-1'])
})

/** The findings of cdk-nag (AwsSolutions) that we accept, and why. */
const acceptedFindings = {
  APIG2: 'API Gateway cannot name every invalid field in one 400, as the functions do.',
  APIG4: 'The functions check the API key first and return the Error body.',
  APIG6: 'Execution logs would repeat the other logs, and show each query.',
  COG4: 'Clients are programs with API keys; there are no users to sign in.',
  'IAM4[Policy::arn:*:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
    'All APIs of the account and region share the role, so it cannot name a log group.',
  'IAM4[Policy::arn:*:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]':
    'AWS maintains it, and it is the smaller of its two policies for Lambda.',
  'IAM5[Resource::arn:*:codedeploy:*:*:deploymentgroup:<Application>/*]':
    'All deployment groups of the application are of this stack.',
}

test('cdk-nag (AwsSolutions) reports only accepted findings in production with every option', () => {
  const { stack, template } = synthesize('production', everyOption)

  const { violations } = new AwsSolutionsChecks().validateScope(stack)

  const application = onlyId(template, 'AWS::CodeDeploy::Application')
  const found = violations.map(({ ruleName }) =>
    ruleName
      .replace('AwsSolutions-', '')
      .replace(application, 'Application')
      .replaceAll(/<AWS::\w+>/g, '*'),
  )
  expect(found.toSorted()).toEqual(Object.keys(acceptedFindings).toSorted())
})

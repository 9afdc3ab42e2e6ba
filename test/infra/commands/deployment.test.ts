import { X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates, rootCertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { collectionsDigest } from '../../../infra/bundle/collections-digest.ts'
import { CommandError, duration, timeouts, toCommandError } from '../../../infra/command-line.ts'
import { ApiKeyTable } from '../../../infra/commands/api-keys.ts'
import { findDeployment, findTable } from '../../../infra/commands/deployment.ts'
import { type Stage, stages } from '../../../infra/stages.ts'
import { type Fate, serveFake } from '../../support/fake-api.ts'
import { databaseResponses } from '../../support/fault-proxy.ts'
import { runCommand } from '../../support/run-command.ts'
import { exampleCredentials } from '../../support/secrets.ts'
import { temporaryFolder } from '../../support/server.ts'

const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
afterEach(() => {
  vi.unstubAllEnvs()
})

test('a duration is a number of seconds, and never zero', () => {
  expect(['1s', '15m', '24h', '99999d'].map(duration)).toEqual([1, 900, 86_400, 8_639_913_600])
  for (const text of ['0s', '24', '1.5h'])
    expect(() => duration(text)).toThrow('Use a whole number')
})

const production = { stage: 'production', port: 0 } as const

/** Pins production to an account and a region, or to none, until the test ends. */
const pin = ({ account, region }: Pick<Stage, 'account' | 'region'>) => {
  const { account: oldAccount, region: oldRegion }: Stage = stages.production
  const old = { account: oldAccount, region: oldRegion }
  onTestFinished(() => void Object.assign(stages.production, old))
  Object.assign(stages.production, { account, region })
}

const operator = 'arn:aws:sts::123456789012:assumed-role/Operators/jane'
const caller = `<Arn>${operator}</Arn><Account>123456789012</Account>`
const identity = {
  status: 200,
  body: `<R><GetCallerIdentityResult>${caller}</GetCallerIdentityResult></R>`,
}

/**
 * Lets CloudFormation send these responses until the test ends, to the operator. Returns its
 * requests, and those for the identity of the operator.
 */
const cloudFormation = async (...responses: Fate[]) => {
  pin({})
  const stacks = await serveFake(...responses)
  const users = await serveFake(identity)
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ENDPOINT_URL', stacks.baseUrl)
  vi.stubEnv('AWS_ENDPOINT_URL_STS', users.baseUrl)
  return { stacks: stacks.requests, users: users.requests }
}

const stackWith = (outputs: Record<string, string>): Fate => {
  const members = Object.entries(outputs).map(
    ([name, value]) =>
      `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  )
  const stack = `<member><Outputs>${members.join('')}</Outputs></member>`
  const body = `<R><DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult></R>`
  return { status: 200, body }
}
const complete = stackWith({ Other: 'a', BaseUrl: 'b', ApiKeysTable: 'c' })

test('a stage is known by the outputs of its stack, and the user is told where it is', async () => {
  const { stacks } = await cloudFormation(complete)

  const found = await findDeployment({ stage: 'staging', prefix: 'Blue', port: 0 })

  const name = 'BluePetStoreStaging'
  const fields = { name, baseUrl: 'b', apiKeysTable: 'c', keyPrefix: 'test', operator }
  expect(found).toEqual({ ...fields, perSecond: 40, clockOffset: expect.any(Number) })
  expect(new URLSearchParams(stacks[0]?.body).get('StackName')).toBe(name)
  const line = `Using ${name} in eu-central-1 of the account 123456789012`
  expect(printed).toHaveBeenLastCalledWith(line)
})

test('a stage is unknown without an output', async () => {
  await cloudFormation(stackWith({ BaseUrl: 'b' }))

  const line = 'The stack PetStoreProduction has no output ApiKeysTable. Deploy this version first.'
  await expect(findDeployment(production)).rejects.toThrow(new CommandError(line))
})

test('credentials of another account than that of the stage are refused, even if it has such a stack', async () => {
  const { stacks } = await cloudFormation(complete)
  pin({ account: '210987654321' })

  const line =
    'The stage production is in the account 210987654321, but these credentials are of ' +
    '123456789012. Set AWS_PROFILE to use others.'
  await expect(findDeployment(production)).rejects.toThrow(new CommandError(line))
  await expect(findTable(production, 'pets')).rejects.toThrow(new CommandError(line))
  expect(stacks).toEqual([])
})

test('the region of the stage is used, whatever AWS_REGION is', async () => {
  const { stacks } = await cloudFormation(complete)
  pin({ account: '123456789012', region: 'eu-west-1' })

  await findDeployment(production)

  const authorization = expect.stringContaining('/eu-west-1/cloudformation/')
  expect(stacks[0]?.headers).toMatchObject({ authorization })
  // Other clients of the command use it, too.
  expect(process.env.AWS_REGION).toBe('eu-west-1')
})

const noCredentials = Object.fromEntries(
  [...Object.keys(exampleCredentials), 'AWS_PROFILE'].map((name) => [name, undefined]),
)

const profile = (name: string) => `[${name}]\naws_access_key_id=${name}\naws_secret_access_key=x\n`

test.each<[Record<string, string | undefined>, string]>([
  [{ AWS_PROFILE: '', AWS_DEFAULT_PROFILE: 'staging' }, 'staging/eu-central-1'],
  [{ AWS_REGION: '', AWS_DEFAULT_REGION: 'eu-west-1' }, 'default/eu-west-1'],
  [
    {
      AWS_REGION: '',
      AWS_PROFILE: 'staging',
      AWS_ACCESS_KEY_ID: 'mine',
      AWS_SECRET_ACCESS_KEY: 'x',
    },
    'mine/us-west-2',
  ],
])('with %j, credentials and region are those that cdk takes: %s', async (env, expected) => {
  const file = join(temporaryFolder(), 'credentials')
  writeFileSync(file, `${profile('default')}${profile('staging')}region=us-west-2\n`)
  const { users } = await cloudFormation(complete)
  for (const [name, value] of Object.entries({ ...noCredentials, ...env })) vi.stubEnv(name, value)
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', file)

  await findDeployment(production)

  const [, key, region] =
    /Credential=(\w+)\/\d+\/([\w-]+)/.exec(`${users[0]?.headers.authorization}`) ?? []
  expect(`${key}/${region}`).toBe(expected)
})

test('a clock that is two minutes fast is noticed', async () => {
  await cloudFormation(complete)
  const date = () => new Date(Date.now() - 120_000).toUTCString()
  const users = await serveFake(async () => ({ ...identity, headers: { Date: date() } }))
  vi.stubEnv('AWS_ENDPOINT_URL_STS', users.baseUrl)

  const { clockOffset } = await findDeployment(production)

  expect(Math.abs(clockOffset / 1000 + 120)).toBeLessThan(10)
})

test('a stage has the table of a collection, and its shards, if it was deployed from these sources', async () => {
  const outputs = {
    PetsTable: 'a',
    ReadShards: '3',
    WriteShards: '2',
    Sources: collectionsDigest(),
  }
  await cloudFormation(stackWith(outputs), stackWith({ ...outputs, Sources: 'other' }))
  for (const variable of ['READ_SHARDS', 'WRITE_SHARDS']) vi.stubEnv(variable, '1')

  expect(await findTable(production, 'pets')).toBe('a')
  expect(process.env).toMatchObject({ READ_SHARDS: '3', WRITE_SHARDS: '2' })
  await expect(findTable(production, 'pets')).rejects.toThrow(
    new CommandError(
      'The stack was deployed from another version of shared. Check that version out, or deploy this one.',
    ),
  )
})

test('AWS is not reached if its responses stall midway', async () => {
  const { stacks } = await cloudFormation({
    status: 200,
    headers: { 'Content-Length': '2' },
    body: '{',
  })
  const { requestHandler } = timeouts
  const { socketTimeout } = requestHandler
  onTestFinished(() => void Object.assign(requestHandler, { socketTimeout }))
  requestHandler.socketTimeout = 50

  const error = await findDeployment(production).catch(toCommandError)

  const line = /^AWS cannot be reached: .+ timed out after 50 ms/
  expect(error).toHaveProperty('message', expect.stringMatching(line))
  expect(stacks.length).toBeGreaterThan(1)
})

test('AWS_CA_BUNDLE adds certificates to those that are known', async () => {
  const all = getCACertificates()
  onTestFinished(() => setDefaultCACertificates(all))
  const [known = '', added = ''] = rootCertificates
  setDefaultCACertificates([known])
  await cloudFormation(complete)
  const file = join(temporaryFolder(), 'bundle.pem')
  writeFileSync(file, added)
  vi.stubEnv('AWS_CA_BUNDLE', file)

  await findDeployment(production)

  const serials = (texts: readonly string[]) =>
    texts.map((text) => new X509Certificate(text).serialNumber).toSorted()
  expect(serials(getCACertificates())).toEqual(serials([known, added]))
})

const AWS_REGION = 'eu-central-1'
const mfaProfile = join(temporaryFolder(), 'config')
const role =
  'role_arn=arn:aws:iam::1:role/x\nsource_profile=source\nmfa_serial=arn:aws:iam::1:mfa/jane'
writeFileSync(mfaProfile, `[default]\n${role}\n${profile('profile source')}`)

const noRegion = /^No valid AWS region is set\. Set AWS_REGION, or a region in the AWS profile\.$/

test.each<[Record<string, string | undefined>, RegExp]>([
  [{}, noRegion],
  [{ AWS_REGION: 'eu west' }, noRegion],
  [
    { AWS_REGION, ...noCredentials },
    /^No AWS credentials can be used\. Run aws sso login, or set AWS_PROFILE \(.+\)$/,
  ],
  [
    { AWS_REGION, ...noCredentials, AWS_CONFIG_FILE: mfaProfile },
    /^The AWS profile needs a code of an MFA device\. .+: eval "\$\(aws configure export-credentials --format env\)"$/,
  ],
  // Nothing listens on port 1.
  [
    { AWS_REGION, AWS_ENDPOINT_URL: 'http://127.0.0.1:1' },
    /^AWS cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:1$/,
  ],
])('there is one line for a failure of AWS with %j', async (env, line) => {
  pin({})
  const least = { AWS_REGION: undefined, AWS_ENDPOINT_URL: undefined, HOME: '/nonexistent', ...env }
  for (const [name, value] of Object.entries(least)) vi.stubEnv(name, value)

  const error = await findDeployment(production).catch(toCommandError)

  expect(error).toBeInstanceOf(CommandError)
  expect(error).toHaveProperty('message', expect.stringMatching(line))
})

test('an expired session is explained with what to do', async () => {
  const error = '<Code>ExpiredToken</Code><Message>The token has expired</Message>'
  await cloudFormation(complete)
  const expired = await serveFake({ status: 403, body: `<R><Error>${error}</Error></R>` })
  vi.stubEnv('AWS_ENDPOINT_URL_STS', expired.baseUrl)

  const line =
    'No AWS credentials can be used. Run aws sso login, or set AWS_PROFILE (The token has expired)'
  expect(await findDeployment(production).catch(toCommandError)).toEqual(new CommandError(line))
})

test('a command reaches AWS and an API through a proxy, but this machine without it', async () => {
  const proxy = await serveFake(identity, complete)
  const AWS_ENDPOINT_URL = 'http://aws.test'
  const env = {
    ...exampleCredentials,
    AWS_REGION,
    AWS_ENDPOINT_URL,
    HTTP_PROXY: new URL(proxy.baseUrl).host, // As curl takes it, too.
  }
  const database = await serveFake(databaseResponses.accessDenied)
  const args = ['list', '--stage', 'production']

  const direct = { ...env, AWS_ENDPOINT_URL_DYNAMODB: new URL(database.baseUrl).origin }
  const { stderr } = await runCommand('commands/keys', args, direct)

  expect(proxy.requests.map(({ path }) => path)).toEqual(Array(2).fill(`${AWS_ENDPOINT_URL}/`))
  expect(database.requests).toHaveLength(1)
  expect(stderr).toContain('refused the request: Made by the test.')
})

const portBefore = ({ baseUrl }: { baseUrl: string }) => Number(new URL(baseUrl).port) - 1

test('no local server runs where nothing responds, or something else', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', undefined)
  const responses = ['silence', { status: 200, body: '<html>' }] as const

  for (const response of responses) {
    const port = portBefore(await serveFake(response))
    const line = `No local server runs at port ${port}. Start it with npm start, or name its port with --port.`
    await expect(findDeployment({ stage: 'local', port })).rejects.toEqual(new CommandError(line))
  }
})

test('a local server has its database on the next port, which gets no credentials of a person', async () => {
  const greeting = { status: 200, body: 'healthy: dynamodb.us-east-1.amazonaws.com ' }
  const database = await serveFake(greeting, databaseResponses.accessDenied)

  const deployment = await findDeployment({ stage: 'local', port: portBefore(database) })
  const error = await new ApiKeyTable(deployment).all().catch(toCommandError)

  const service = `The DynamoDB at ${new URL(database.baseUrl).origin}`
  expect(error).toEqual(new CommandError(`${service} refused the request: Made by the test.`))
  const authorization = expect.stringContaining('Credential=local/')
  expect(database.requests[1]?.headers).toMatchObject({ authorization })
  expect(JSON.stringify(database.requests)).not.toMatch(/AKIA|EXAMPLE/)
})

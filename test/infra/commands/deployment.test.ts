import { X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates, rootCertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { CommandError, duration, explain, timeouts } from '../../../infra/command-line.ts'
import { findDeployment, findTable } from '../../../infra/commands/deployment.ts'
import { sourcesDigest } from '../../../infra/sources-digest.ts'
import { type Stage, stages } from '../../../infra/stages.ts'
import { type Fate, serveFake } from '../../support/fake-api.ts'
import { databaseResponses } from '../../support/fault-proxy.ts'
import { failure, runCommand } from '../../support/run-command.ts'
import { exampleCredentials } from '../../support/secrets.ts'
import { temporaryFolder } from '../../support/server.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

test('a duration is a number of seconds', () => {
  expect(['1s', '15m', '24h', '99999d'].map(duration)).toEqual([1, 900, 86_400, 8_639_913_600])
})

test.each(['', '0s', '24', '1.5h', '100000d'])('"%s" is no duration', (text) => {
  expect(() => duration(text)).toThrow(
    'Use a whole number from 1 to 99999 followed by s, m, h or d',
  )
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
const identity: Fate = {
  status: 200,
  body: `<R><GetCallerIdentityResult>${caller}</GetCallerIdentityResult></R>`,
}

/**
 * Lets CloudFormation send these responses until the test ends, to the operator. Returns its
 * requests.
 */
const cloudFormation = async (...responses: Fate[]) => {
  pin({})
  const stacks = await serveFake(...responses)
  const users = await serveFake(identity)
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ENDPOINT_URL', stacks.baseUrl)
  vi.stubEnv('AWS_ENDPOINT_URL_STS', users.baseUrl)
  return stacks.requests
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

test('a stage is known by the outputs of its stack', async () => {
  const requests = await cloudFormation(stackWith({ Other: 'a', BaseUrl: 'b', ApiKeysTable: 'c' }))

  const found = await findDeployment({ ...production, prefix: 'Blue' })

  const name = 'BluePetStoreProduction'
  expect(found).toEqual({ name, baseUrl: 'b', apiKeysTable: 'c', keyPrefix: 'live', operator })
  expect(new URLSearchParams(requests[0]?.body).get('StackName')).toBe(name)
})

test('a stage is unknown without its stack or an output', async () => {
  const message = '<Message>Stack with id a does not exist</Message>'
  const body = `<R><Error><Code>ValidationError</Code>${message}</Error></R>`
  await cloudFormation({ status: 400, body }, stackWith({ BaseUrl: 'b' }))

  for (const line of [
    'There is no stack PetStoreProduction in eu-central-1 of the account 123456789012.',
    'The stack PetStoreProduction has no output ApiKeysTable. Deploy this version first.',
  ])
    await expect(findDeployment(production)).rejects.toThrow(new CommandError(line))
})

test('credentials of another account than that of the stage are refused, even if it has such a stack', async () => {
  const requests = await cloudFormation(stackWith({ BaseUrl: 'b', ApiKeysTable: 'c' }))
  pin({ account: '210987654321' })

  const line =
    'The stage production is in the account 210987654321, but these credentials are of ' +
    '123456789012. Set AWS_PROFILE to use others.'
  await expect(findDeployment(production)).rejects.toThrow(new CommandError(line))
  await expect(findTable(production, 'pets')).rejects.toThrow(new CommandError(line))
  expect(requests).toEqual([])
})

test.each([
  [
    'eu-central-1',
    'The stage production is in eu-west-1, so AWS_REGION (eu-central-1) is ignored.',
  ],
  ['eu-west-1', undefined],
])('the region of the stage is used, where AWS_REGION is %s', async (shell, line) => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => {})
  const requests = await cloudFormation(stackWith({ BaseUrl: 'b', ApiKeysTable: 'c' }))
  vi.stubEnv('AWS_REGION', shell)
  pin({ account: '123456789012', region: 'eu-west-1' })

  await findDeployment(production)

  expect(print.mock.calls).toEqual(line ? [[line]] : [])
  const authorization = expect.stringContaining('/eu-west-1/cloudformation/')
  expect(requests[0]?.headers).toMatchObject({ authorization })
  // Other clients of the command use it, too.
  expect(process.env.AWS_REGION).toBe('eu-west-1')
})

test('a stage has the table of a collection, and its shards, if it was deployed from these sources', async () => {
  const outputs = { PetsTable: 'a', ReadShards: '3', WriteShards: '2', Sources: sourcesDigest() }
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

test('an expired session is explained with what to do', async () => {
  const error = '<Code>ExpiredToken</Code><Message>The token has expired</Message>'
  const expired = { status: 403, body: `<R><Error>${error}</Error></R>` }
  await cloudFormation(expired)
  vi.stubEnv('AWS_ENDPOINT_URL_STS', (await serveFake(expired)).baseUrl)

  const line =
    'No AWS credentials can be used: The token has expired. Run aws sso login, or set AWS_PROFILE.'
  expect(await findDeployment(production).catch(explain)).toEqual(new CommandError(line))
})

test('AWS is not reached if its responses stall midway', async () => {
  const requests = await cloudFormation('stall')
  const { requestHandler } = timeouts
  const { socketTimeout } = requestHandler
  onTestFinished(() => void Object.assign(requestHandler, { socketTimeout }))
  requestHandler.socketTimeout = 50

  const error = await findDeployment(production).catch(explain)

  const line = /^AWS cannot be reached: .+ timed out after 50 ms/
  expect(error).toHaveProperty('message', expect.stringMatching(line))
  expect(requests.length).toBeGreaterThan(1)
})

/** What a developer's shell may have. */
const noProxies = Object.fromEntries(
  ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy']
    .flatMap((name) => [name, name.toUpperCase(), `npm_config_${name}`])
    .map((name) => [name, undefined]),
)

test.each(['HTTP_PROXY', 'http_proxy', 'npm_config_proxy', 'ALL_PROXY'])(
  'AWS is reached through the proxy that %s names, but this machine without it',
  async (name) => {
    const users = await cloudFormation(stackWith({ BaseUrl: 'b', ApiKeysTable: 'c' }))
    const proxy = await serveFake(identity)
    for (const [each, value] of Object.entries(noProxies)) vi.stubEnv(each, value)
    vi.stubEnv(name, new URL(proxy.baseUrl).origin)
    vi.stubEnv('AWS_ENDPOINT_URL_STS', 'http://sts.test')

    expect(await findDeployment(production)).toMatchObject({ operator })

    expect(proxy.requests.map(({ path }) => path)).toEqual(['http://sts.test/'])
    expect(users).toHaveLength(1)
  },
)

test('AWS_CA_BUNDLE adds certificates', async () => {
  const [first = '', second = ''] = rootCertificates
  const all = getCACertificates()
  onTestFinished(() => setDefaultCACertificates(all))
  setDefaultCACertificates([first])
  await cloudFormation(stackWith({ BaseUrl: 'b', ApiKeysTable: 'c' }))
  const file = join(temporaryFolder(), 'bundle.pem')
  writeFileSync(file, second)
  vi.stubEnv('AWS_CA_BUNDLE', file)

  await findDeployment(production)

  const serials = (texts: readonly string[]) =>
    new Set(texts.map((text) => new X509Certificate(text).serialNumber))
  expect(serials(getCACertificates())).toEqual(serials([first, second]))
})

const AWS_REGION = 'eu-central-1'
const noCredentials = Object.fromEntries(
  Object.keys(exampleCredentials).map((name) => [name, undefined]),
)

test.each<[Record<string, string | undefined>, RegExp]>([
  [{}, /^No AWS region is set\. Set AWS_REGION, or a region in the AWS profile\.$/],
  [
    { AWS_REGION, ...noCredentials },
    /^No AWS credentials can be used: .+ Run aws sso login, or set AWS_PROFILE\.$/,
  ],
  // Nothing listens on port 1.
  [
    { AWS_REGION, AWS_ENDPOINT_URL: 'http://127.0.0.1:1' },
    /^AWS cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:1\.$/,
  ],
  [
    { AWS_REGION, HTTPS_PROXY: 'http://jane:secret@127.0.0.1:1' },
    /^AWS cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:1\. HTTPS_PROXY names the proxy 127\.0\.0\.1:1\.$/,
  ],
  [
    { AWS_REGION, all_proxy: 'socks5://127.0.0.1:1' },
    /^AWS cannot be reached: .+ all_proxy names no http or https proxy, so none is used\.$/,
  ],
  [
    { AWS_REGION, AWS_CA_BUNDLE: '/nowhere' },
    /^AWS_CA_BUNDLE names \/nowhere, which cannot be used: .+no such file/,
  ],
])('there is one line for a failure of AWS with %j', async (env, line) => {
  const unset = { ...noProxies, AWS_REGION: undefined, AWS_ENDPOINT_URL: undefined }
  pin({})
  const least = { ...unset, HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true', ...env }
  for (const [name, value] of Object.entries(least)) vi.stubEnv(name, value)

  const error = await findDeployment(production).catch(explain)

  expect(error).toBeInstanceOf(CommandError)
  expect(error).toHaveProperty('message', expect.stringMatching(line))
})

const portBefore = ({ baseUrl }: { baseUrl: string }) => Number(new URL(baseUrl).port) - 1

test('a local server has its database on the next port, which gets no credentials of a person', async () => {
  const greeting = { status: 200, body: 'healthy: dynamodb.us-east-1.amazonaws.com ' }
  const database = await serveFake(greeting, databaseResponses.accessDenied)

  const env = { ...exampleCredentials, AWS_PROFILE: 'mine', PORT: `${portBefore(database)}` }
  const outcome = await runCommand('commands/keys', ['list', '--stage', 'local'], env)

  const service = `The DynamoDB at ${new URL(database.baseUrl).origin}`
  expect(outcome).toEqual(failure(`${service} refused the request: Made by the test.`))
  const authorization = expect.stringContaining('Credential=local/')
  expect(database.requests[1]?.headers).toMatchObject({ authorization })
  expect(JSON.stringify(database.requests)).not.toMatch(/AKIA|EXAMPLE/)
})

test('no local server runs where nothing responds, the connection breaks, or something else responds', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', undefined)
  const responses = ['silence', 'cut', { status: 200, body: '<html>' }] as const

  for (const response of responses) {
    const port = portBefore(await serveFake(response))
    const line = `No local server runs at port ${port}. Start it with npm start, or name its port with --port.`
    await expect(findDeployment({ stage: 'local', port })).rejects.toEqual(new CommandError(line))
  }
})

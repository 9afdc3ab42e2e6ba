import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { CommandError, duration, explained, timeouts } from '../../../infra/command-line.ts'
import { findDeployment, findTable } from '../../../infra/commands/deployment.ts'
import { sourcesDigest } from '../../../infra/sources.ts'
import { tableOutput } from '../../../shared/data/tables.ts'
import { service } from '../../../shared/service.ts'
import { example } from '../../support/example.ts'
import { serve } from '../../support/fake-api.ts'
import { databaseResponses } from '../../support/fault-proxy.ts'
import { failure, runCommand } from '../../support/run-command.ts'
import { exampleCredentials } from '../../support/secrets.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

test('a duration is a number of seconds', () => {
  expect(['1s', '15m', '24h', '99999d'].map(duration)).toEqual([1, 900, 86_400, 8_639_913_600])
})

const invalid = ['', '0s', '24', '1.5h', '24H', '100000d', '١h']
test.each(invalid)('"%s" is no duration', (text) => {
  expect(() => duration(text)).toThrow(
    'Use a whole number from 1 to 99999 followed by s, m, h or d',
  )
})

describe('a stage in AWS', () => {
  /** Finds a deployment of production, where CloudFormation sends this response. */
  const findWith = async (status: number, body: string) => {
    const { baseUrl, requests } = await serve({ status, body })
    vi.stubEnv('AWS_REGION', 'eu-central-1')
    vi.stubEnv('AWS_ENDPOINT_URL', baseUrl)
    const found = await findDeployment({ stage: 'production', port: 0 })
    return { found, stack: new URLSearchParams(requests[0]?.body).get('StackName') }
  }
  const output = (name: string) =>
    `<member><OutputKey>${name}</OutputKey><OutputValue>${name === 'Sources' ? sourcesDigest() : `the ${name}`}</OutputValue></member>`
  const stackWith = (...names: string[]) =>
    `<R><DescribeStacksResult><Stacks><member><Outputs>${names.map(output).join('')}</Outputs></member></Stacks></DescribeStacksResult></R>`
  const name = `${service.stack}Production`
  const error =
    '<R><Error><Code>ValidationError</Code><Message>Stack with id a does not exist</Message></Error></R>'

  test('is known by the outputs of its stack', async () => {
    const { found, stack } = await findWith(200, stackWith('OtherTable', 'BaseUrl', 'ApiKeysTable'))

    expect(found).toEqual({
      baseUrl: 'the BaseUrl',
      apiKeysTable: 'the ApiKeysTable',
      keyPrefix: 'live',
    })
    expect(stack).toBe(name)
  })

  test.each([
    ['no stack', 400, error, `There is no stack ${name} in eu-central-1 of this AWS account.`],
    [
      'a missing output',
      200,
      stackWith('BaseUrl'),
      `The stack ${name} has no output ApiKeysTable. Deploy this version first.`,
    ],
  ])('is unknown if there is %s', async (_problem, status, xml, line) => {
    await expect(findWith(status, xml)).rejects.toThrow(new CommandError(line))
  })

  const SHARDS = ['READ_SHARDS', 'WRITE_SHARDS']
  test('has the table of a collection, and its shards, if it was deployed from these sources', async () => {
    const find = () => findTable({ stage: 'production', port: 0 }, example.table)
    const outputs = [tableOutput(example.table), 'ReadShards', 'WriteShards', 'Sources']
    const stack = stackWith(...outputs)
    const { baseUrl } = await serve(
      { status: 200, body: stack },
      { status: 200, body: stack.replace(sourcesDigest(), 'a') },
    )
    vi.stubEnv('AWS_REGION', 'eu-central-1')
    vi.stubEnv('AWS_ENDPOINT_URL', baseUrl)

    for (const variable of SHARDS) vi.stubEnv(variable, '1')
    expect(await find()).toBe(`the ${outputs[0]}`)
    expect(SHARDS.map((variable) => process.env[variable])).toEqual([
      'the ReadShards',
      'the WriteShards',
    ])
    await expect(find()).rejects.toThrow(
      new CommandError(
        'The stack was deployed from another version of shared. Check that version out, or deploy this one.',
      ),
    )
  })

  test('is not reached if responses stall midway', async () => {
    const { baseUrl, requests } = await serve('stall')
    vi.stubEnv('AWS_REGION', 'eu-central-1')
    vi.stubEnv('AWS_ENDPOINT_URL', baseUrl)
    const { requestHandler } = timeouts
    const { socketTimeout } = requestHandler
    onTestFinished(() => void Object.assign(requestHandler, { socketTimeout }))
    requestHandler.socketTimeout /= 200 // 50 ms

    const error = await findDeployment({ stage: 'production', port: 0 }).catch(explained)

    expect(error).toHaveProperty(
      'message',
      expect.stringMatching(/^AWS cannot be reached: .+ timed out after 50 ms/),
    )
    expect(requests.length).toBeGreaterThan(1)
  })

  const region = { AWS_REGION: 'eu-central-1' }
  const noCredentials = Object.fromEntries(
    Object.keys(exampleCredentials).map((name) => [name, undefined]),
  )

  test.each<[Record<string, string | undefined>, RegExp]>([
    [{}, /^No AWS region is set\. Set AWS_REGION, or a region in the AWS profile default\.$/],
    [{ AWS_PROFILE: 'mine' }, /, or a region in the AWS profile mine\.$/],
    [
      { ...region, ...noCredentials },
      /^No AWS credentials can be used: .+ Run aws sso login, or set AWS_PROFILE\.$/,
    ],
    [
      { ...region, ...noCredentials, AWS_PROFILE: 'mine' },
      /, or set AWS_PROFILE, which is mine\.$/,
    ],
    // Nothing listens on port 1.
    [
      { ...region, AWS_ENDPOINT_URL: 'http://127.0.0.1:1' },
      /^AWS cannot be reached: connect ECONNREFUSED/,
    ],
  ])('has one line for a failure of AWS with %j', async (env, line) => {
    const unset = { AWS_REGION: undefined, AWS_PROFILE: undefined, AWS_ENDPOINT_URL: undefined }
    const least = { ...unset, HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true', ...env }
    for (const [name, value] of Object.entries(least)) vi.stubEnv(name, value)

    const error = await findDeployment({ stage: 'staging', port: 0 }).catch(explained)

    expect(error).toBeInstanceOf(CommandError)
    expect(error).toHaveProperty('message', expect.stringMatching(line))
  })
})

test('an empty region is none', async () => {
  const args = ['list', '--stage', 'staging']

  const { stderr } = await runCommand('commands/keys', args, { AWS_REGION: '' })

  expect(stderr).toMatch(/^No AWS region is set\..+\n$/)
})

describe('a local server', () => {
  const portBefore = ({ baseUrl }: { baseUrl: string }) => Number(new URL(baseUrl).port) - 1

  test('has its database on the next port, which does not get the credentials of a person', async () => {
    const greeting = { status: 200, body: 'healthy: dynamodb.us-east-1.amazonaws.com ' }
    const database = await serve(greeting, databaseResponses.accessDenied)

    const env = { ...exampleCredentials, AWS_PROFILE: 'mine', PORT: `${portBefore(database)}` }
    const outcome = await runCommand('commands/keys', ['list', '--stage', 'local'], env)

    expect(outcome).toEqual(failure('AWS refused the request: Made by the test.'))
    expect(database.requests[1]?.headers).toMatchObject({
      authorization: expect.stringContaining('Credential=local/'),
    })
    expect(JSON.stringify(database.requests)).not.toMatch(/AKIA|EXAMPLE/)
  })

  test('does not run where nothing responds, the connection breaks, or something else responds', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', undefined)
    const responses = ['silence', 'cut', { status: 200, body: '<html>' }] as const
    const ports = (await Promise.all(responses.map((each) => serve(each)))).map(portBefore)

    for (const port of ports) {
      const line = `No local server runs at port ${port}. Start it with npm start, or name its port with --port.`
      const found = findDeployment({ stage: 'local', port })
      await expect(found).rejects.toEqual(new CommandError(line))
    }
  })
})

import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { CommandError, explained, secondsOf } from '../../../infra/command-line.ts'
import { confirm } from '../../../infra/keys/actions.ts'
import { readCommand } from '../../../infra/keys/command.ts'
import { findDeployment } from '../../../infra/keys/deployment.ts'
import { scopes } from '../../../shared/model/api-key.ts'
import { serve } from '../../support/fake-api.ts'
import { exampleCredentials } from '../../support/secrets.ts'

const STAGING = ['--stage', 'staging']
const DOGS = '🐕'.repeat(100)
const SEE = 'See npm run keys -- --help'
const ACTIONS = `Use issue, list, rotate or revoke. ${SEE}`
const STAGES = 'Use staging, production or local.'
const NAME = '--name must have 1 to 100 characters, not only white space, and no control characters.'
const PREFIX = '--prefix must have 1 to 100 letters, digits and hyphens, and must start with a letter.'
const GRACE = '--grace is missing. It says how long the old key stays valid, such as --grace 24h.'
const NO_KEY = 'List the keys with npm run keys -- list.'
const SCOPE = `--scope must be ${scopes.join(' or ')}. It may be repeated.`
const DURATION = 'must be a whole number from 1 to 99999 followed by s, m, h or d, such as 30s, 15m, 24h or 90d.'

describe('readCommand', () => {
  const staging = { json: false, target: { stage: 'staging', prefix: '' } }

  test.each([
    ['list --help', { action: 'help' }],
    [`issue --name ${DOGS} --stage staging`, { action: 'issue', name: DOGS, ...staging }],
    [
      'issue --name a --expires-in 90d --stage staging',
      { action: 'issue', name: 'a', expiresIn: 7_776_000, ...staging },
    ],
    [
      'issue --name a --scope pets:write --scope pets:read --scope pets:write --stage staging',
      { action: 'issue', name: 'a', scopes: ['pets:read', 'pets:write'], ...staging },
    ],
    ['rotate key_1 --grace 24h --stage staging', { action: 'rotate', keyId: 'key_1', grace: 86_400, ...staging }],
    ['revoke --yes key_1 --stage staging', { action: 'revoke', keyId: 'key_1', yes: true, ...staging }],
    ['--json --stage local list', { action: 'list', json: true, target: { stage: 'local', prefix: '' } }],
    [
      'list --stage local --base-url http://127.0.0.1:3001/v1/',
      { action: 'list', json: false, target: { stage: 'local', prefix: '', baseUrl: 'http://127.0.0.1:3001/v1' } },
    ],
    ['list --stage staging --prefix m-', { action: 'list', ...staging, target: { stage: 'staging', prefix: 'm-' } }],
  ])('reads %s', (args, expected) => {
    expect(readCommand(args.split(' '))).toEqual(expected)
  })

  test.each([
    [[], `A command is missing. ${ACTIONS}`],
    [['toString', ...STAGING], `There is no command "toString". ${ACTIONS}`],
    [['list'], `--stage is missing. ${STAGES}`],
    [['list', '--stage', 'constructor'], `There is no stage "constructor". ${STAGES}`],
    [['list', ...STAGING, '--all'], `Unknown option '--all'. ${SEE}`],
    [['list', ...STAGING, '--grace', '1h'], `list does not accept --grace. ${SEE}`],
    [['list', 'key_1', ...STAGING], `list does not accept "key_1". ${SEE}`],
    [['list', '--prefix', '1st', ...STAGING], PREFIX],
    [['list', '--prefix', 'a', '--stage', 'local'], '--prefix is only for stages in AWS, not for the local server.'],
    [['list', '--base-url', 'http://a', ...STAGING], '--base-url is only for local servers.'],
    [['issue', ...STAGING], '--name is missing. It says who uses the key.'],
    [['issue', ...STAGING, '--name', ' \u3000'], NAME],
    [['issue', ...STAGING, '--name', 'x'.repeat(101)], NAME],
    [['issue', ...STAGING, '--name', 'shop\u001b[2J'], NAME],
    [['issue', ...STAGING, '--name', 'shop', '--expires-in', 'soon'], `--expires-in ${DURATION}`],
    [['issue', ...STAGING, '--name', 'shop', '--scope', 'pets:read', '--scope', 'pets'], SCOPE],
    [['rotate', ...STAGING, '--grace', '1h'], `A key id is missing: rotate <keyId>. ${NO_KEY}`],
    [['rotate', 'key_1', 'key_2', ...STAGING, '--grace', '1h'], `rotate does not accept "key_2". ${SEE}`],
    [['rotate', 'key_1', ...STAGING], GRACE],
    [['rotate', 'key_1', ...STAGING, '--grace', '0'], `--grace ${DURATION}`],
  ])('refuses %j', (args, line) => {
    expect(() => readCommand(args)).toThrow(new CommandError(line))
  })
})

test.each(Object.entries({ '1s': 1, '15m': 900, '24h': 86_400, '99999d': 8_639_913_600 }))(
  'secondsOf converts %s to %d',
  (text, expected) => {
    expect(secondsOf('--grace', text)).toBe(expected)
  },
)

const invalid = ['', '0s', '24', 'h', '-1h', '1.5h', '1 h', '24H', '1w', '1h30m', '01h', '100000d', '١h']
test.each(invalid)('secondsOf refuses "%s"', (text) => {
  expect(() => secondsOf('--grace', text)).toThrow(new CommandError(`--grace ${DURATION}`))
})

describe('confirm', () => {
  /** Asks on a terminal where someone types an answer, or closes the terminal. */
  const ask = async (answer: string | undefined) => {
    const input = Object.assign(new PassThrough(), { isTTY: true })
    const output = new PassThrough()
    const confirmed = confirm('Revoke key_1?', input, output)
    input.end(answer && `${answer}\n`)
    const [asked] = await Promise.all([once(output, 'data'), confirmed.catch(() => {})])
    expect(String(asked)).toBe('Revoke key_1? [y/N] ')
    return confirmed
  }

  test.each(['y', 'Y', 'yes', ' y '])('accepts "%s"', async (answer) => {
    await expect(ask(answer)).resolves.toBeUndefined()
  })

  test.each([' ', 'n', 'no', 'yep', 'j', undefined])('refuses %j, where undefined is no answer', async (answer) => {
    await expect(ask(answer)).rejects.toThrow(new CommandError('Nothing was revoked.'))
  })
})

afterEach(() => vi.unstubAllEnvs())

describe('findDeployment', () => {
  /** Finds a deployment of production, where CloudFormation sends this response. */
  const findWith = async (status: number, body: string, prefix = '') => {
    const { baseUrl, requests } = await serve({ status, body })
    vi.stubEnv('AWS_REGION', 'eu-central-1')
    vi.stubEnv('AWS_ENDPOINT_URL', baseUrl)
    const found = await findDeployment({ stage: 'production', prefix })
    return { found, stack: new URLSearchParams(requests[0]?.body).get('StackName') }
  }
  const output = (name: string) =>
    `<member><OutputKey>${name}</OutputKey><OutputValue>the ${name}</OutputValue></member>`
  const stackWith = (...names: string[]) =>
    `<R><DescribeStacksResult><Stacks><member><Outputs>${names.map(output).join('')}</Outputs></member></Stacks></DescribeStacksResult></R>`
  const NO_OUTPUT = 'The stack PetStoreProduction has no output ApiKeysTable. Deploy this version of the service first.'
  const error = '<R><Error><Code>ValidationError</Code><Message>Stack with id a does not exist</Message></Error></R>'

  test('reads the outputs of the stack', async () => {
    const { found, stack } = await findWith(200, stackWith('PetsTable', 'BaseUrl', 'ApiKeysTable'), 'mine-')

    expect(found).toEqual({ baseUrl: 'the BaseUrl', apiKeysTable: 'the ApiKeysTable', keyPrefix: 'live', database: {} })
    expect(stack).toBe('mine-PetStoreProduction')
  })

  test.each([
    ['no stack', 400, error, 'There is no stack PetStoreProduction in eu-central-1 of this AWS account.'],
    ['an unknown response', 200, '<R/>', 'Unexpected response from the CloudFormation endpoint.'],
    ['a missing output', 200, stackWith('BaseUrl'), NO_OUTPUT],
  ])('reports %s in one line', async (_problem, status, xml, line) => {
    await expect(findWith(status, xml)).rejects.toThrow(new CommandError(line))
  })
})

describe('explained', () => {
  const region = { AWS_REGION: 'eu-central-1' }
  const noCredentials = Object.fromEntries(Object.keys(exampleCredentials).map((name) => [name, undefined]))
  const NO_CREDENTIALS =
    'No AWS credentials were found. Run aws sso login, or set AWS_PROFILE, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.'
  const INVALID_URL = 'The value of AWS_ENDPOINT_URL or AWS_ENDPOINT_URL_<SERVICE> is not a valid URL.'
  const NO_HOST = /^AWS cannot be reached: getaddrinfo E[A-Z_]+ aws\.invalid$/
  const REFUSED = 'AWS cannot be reached: connect ECONNREFUSED 127.0.0.1:1' // Nothing listens on port 1.

  test.each<[Record<string, string | undefined>, string | RegExp]>([
    [{}, 'No AWS region is set. Set AWS_REGION, or a region in the AWS profile.'],
    [{ AWS_REGION: 'here and there' }, 'AWS_REGION is not a valid region. Use a name such as eu-central-1.'],
    [{ ...region, ...noCredentials }, NO_CREDENTIALS],
    [{ ...region, ...noCredentials, AWS_PROFILE: 'nobody' }, NO_CREDENTIALS],
    [{ ...region, AWS_ENDPOINT_URL: 'aws' }, INVALID_URL],
    [{ ...region, AWS_ENDPOINT_URL: 'http://aws.invalid' }, NO_HOST],
    [{ ...region, AWS_ENDPOINT_URL: 'http://127.0.0.1:1' }, REFUSED],
  ])('has one line for a failure of AWS with %j', async (env, line) => {
    const unset = { AWS_REGION: undefined, AWS_PROFILE: undefined, AWS_ENDPOINT_URL: undefined }
    const surroundings = { ...unset, HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true', ...env }
    for (const [name, value] of Object.entries(surroundings)) vi.stubEnv(name, value)

    const error = await findDeployment({ stage: 'staging', prefix: '' }).catch(explained)

    expect(error).toBeInstanceOf(CommandError)
    expect(error).toHaveProperty('message', typeof line === 'string' ? line : expect.stringMatching(line))
  })
})

import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { exampleCredentials as credentials } from '../../support/secrets.ts'
import { failure, runCommand } from './run-command.ts'

const region = { AWS_REGION: 'eu-central-1' }
const SIGN_IN = 'Sign in (aws sso login), or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.'

/** A port at which nothing listens. */
const closedPort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
const port = await closedPort()

test.each([
  ['without a region', { ...credentials }, 'No AWS region is set. Set AWS_REGION, or a region in the AWS profile.'],
  ['without credentials', { ...region }, `No AWS credentials were found. ${SIGN_IN}`],
  [
    'with a profile that is not there',
    { ...region, AWS_PROFILE: 'nobody' },
    `No AWS credentials were found. ${SIGN_IN}`,
  ],
  [
    'with a region that is none',
    { ...credentials, AWS_REGION: 'here and there' },
    'AWS_REGION is no region, such as eu-central-1.',
  ],
  [
    'with the network down',
    { ...region, ...credentials, AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` },
    `AWS cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}`,
  ],
  [
    'with no name server',
    { ...region, ...credentials, AWS_ENDPOINT_URL: 'http://aws.invalid' },
    expect.stringMatching(/^AWS cannot be reached: getaddrinfo E[A-Z_]+ aws\.invalid\n$/),
  ],
  [
    'with an endpoint that is no address',
    { ...region, ...credentials, AWS_ENDPOINT_URL: 'aws' },
    'An AWS_ENDPOINT_URL… of the environment is no URL.',
  ],
])('%s, says so in one line', async (_, env, line) => {
  const ran = await Promise.all([
    runCommand('keys', ['list', '--stage', 'staging'], env),
    runCommand('smoke', ['--stage', 'production', '--prefix', 'mine-'], env),
  ])

  const expected = typeof line === 'string' ? failure(line) : { code: 1, stdout: '', stderr: line }
  expect(ran).toEqual([expected, expected])
})

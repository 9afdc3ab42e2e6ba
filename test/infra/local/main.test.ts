import { afterAll, expect, test } from 'vitest'
import { CommandError } from '../../../infra/command-line.ts'
import { readOptions } from '../../../infra/local/options.ts'
import { send } from '../../support/http.ts'
import { startServer } from '../../support/server.ts'
import { failure, runCommand } from '../keys/run-command.ts'
import { start } from './command.ts'
import { wireTo } from './local-server.ts'

const KEY = 'pet_local_forDevelopmentOnOneMachineOnly002lJW3V'
const server = await startServer([], { AWS_PROFILE: 'of-another-account' }) // It must be ignored.
const banner = server.output()
afterAll(() => server.stop('SIGKILL'))

test('prints its address, its key and a command to try it', () => {
  expect(server.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/)
  expect(banner).toMatch(
    new RegExp(
      `^\\n  Base address  ${server.baseUrl}\\n  API key       ${KEY}\\n` +
        `  Database      http://127\\.0\\.0\\.1:\\d+ \\(in memory\\)\\n` +
        `  Reference     ${server.baseUrl}/docs\\n` +
        `  Try it        curl ${server.baseUrl}/pets -H 'Authorization: Bearer ${KEY}'\\n\\n$`,
    ),
  )
})

test('accepts the key that it prints, and logs one line for each request', async () => {
  const { status, body } = await send(server.baseUrl, { path: '/pets', headers: { Authorization: `Bearer ${KEY}` } })
  await send(server.baseUrl, { path: '/cats?colour=black' })
  await send(server.baseUrl, { method: 'OPTIONS', path: '/pets' })
  await (await wireTo(server, 'Hello\r\n\r\n')).response()

  expect([status, body]).toEqual([200, []])
  const lines = () => server.output().slice(banner.length).trimEnd().split('\n')
  await expect.poll(lines, { timeout: 30_000 }).toHaveLength(4)
  expect(lines()).toEqual([
    expect.stringMatching(
      /^\{ requestId: '[\w-]{15}=', operation: 'listPets', version: '\$LATEST', status: 200, .*\}$/,
    ),
    expect.stringMatching(/^\{ requestId: '[\w-]{15}=', method: 'GET', path: '\/v1\/cats', status: 404 \}$/),
    expect.stringMatching(/^\{ requestId: '[\w-]{15}=', method: 'OPTIONS', path: '\/v1\/pets', status: 204 \}$/),
    expect.stringMatching(/^\{ requestId: '[\w-]{15}=', status: 400 \}$/),
  ])
})

test('listens on the address of --host, and exits with 0 on SIGINT', async () => {
  const { baseUrl, stop, output } = await start(['--host', 'localhost'])

  const { status } = await send(baseUrl, { path: '/openapi.json' })

  expect([baseUrl, status]).toEqual([expect.stringMatching(/^http:\/\/localhost:\d+\/v1$/), 200])
  expect([await stop('SIGINT'), output()]).toEqual([0, expect.not.stringContaining('Error')])
})

test('prints its help, or one line that says what is wrong', async () => {
  const { port } = new URL(server.baseUrl)

  const outcomes = await Promise.all([
    runCommand('local', ['--help']),
    runCommand('local', ['--verbose']),
    runCommand('local', [], { PORT: port }),
  ])

  const help = /^Runs the Pet Store API[\s\S]+--port[\s\S]+--host[\s\S]+--data[\s\S]+AWS_ENDPOINT_URL_DYNAMODB/
  expect(outcomes).toEqual([
    { code: 0, stdout: expect.stringMatching(help), stderr: '' },
    failure("Unknown option '--verbose'. See npm start -- --help"),
    failure(
      `Cannot listen: listen EADDRINUSE: address already in use 127.0.0.1:${port}. ` +
        'Choose another --host or --port; port 0 selects a free port.',
    ),
  ])
})

const defaults = { help: false, host: '127.0.0.1', port: 3000, data: undefined }
const otherDatabase = { AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost:8000' }

test.each([
  ['nothing', [], {}, defaults],
  ['an empty PORT', [], { PORT: '' }, defaults],
  ['PORT', [], { PORT: '8080' }, { ...defaults, port: 8080 }],
  ['--port, which overrides PORT', ['--port', '0'], { PORT: '8080' }, { ...defaults, port: 0 }],
  ['--port with an equals sign', ['--port=65535'], {}, { ...defaults, port: 65535 }],
  ['--host', ['--host', '::1'], {}, { ...defaults, host: '::1' }],
  ['--data', ['--data', 'pets'], {}, { ...defaults, data: 'pets' }],
  ['another DynamoDB', [], otherDatabase, defaults],
  ['--help', ['--help'], {}, { ...defaults, help: true }],
])('reads %s', (_name, args, environment, expected) => {
  expect(readOptions(args, environment)).toEqual(expected)
})

test.each([
  [['serve'], {}, "Unexpected argument 'serve'. See npm start -- --help"],
  [['--port'], {}, "Option '--port <value>' argument missing. See npm start -- --help"],
  [['--port', 'http'], {}, 'The port must be 0 to 65535, not "http".'],
  [['--port', '65536'], {}, 'The port must be 0 to 65535, not "65536".'],
  [['--port', '80.5'], {}, 'The port must be 0 to 65535, not "80.5".'],
  [['--port=-1'], {}, 'The port must be 0 to 65535, not "-1".'],
  [['--port', '-1'], {}, "Option '--port' argument is ambiguous. See npm start -- --help"],
  [['--port='], {}, 'The port must be 0 to 65535, not "".'],
  [[], { PORT: 'http' }, 'The port must be 0 to 65535, not "http".'],
  [['--host='], {}, 'The host must not be empty.'],
  [
    ['--data', 'pets'],
    otherDatabase,
    '--data requires the embedded database, but AWS_ENDPOINT_URL_DYNAMODB selects another one.',
  ],
])('refuses %j with %j', (args, environment, message) => {
  expect(() => readOptions(args, environment)).toThrow(new CommandError(message))
})

import { expect, test } from 'vitest'
import { CommandError } from '../../../infra/command-line.ts'
import { readOptions } from '../../../infra/local/main.ts'

const defaults = { help: false, host: '127.0.0.1', port: 3000, data: undefined }

test.each([
  ['nothing', [], {}, defaults],
  ['an empty PORT', [], { PORT: '' }, defaults],
  ['PORT', [], { PORT: '8080' }, { ...defaults, port: 8080 }],
  ['--port beside PORT', ['--port', '0'], { PORT: '8080' }, { ...defaults, port: 0 }],
  ['--port with an equals sign', ['--port=65535'], {}, { ...defaults, port: 65535 }],
  ['--host', ['--host', '::1'], {}, { ...defaults, host: '::1' }],
  ['--data', ['--data', 'pets'], {}, { ...defaults, data: 'pets' }],
  ['another DynamoDB', [], { AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost:8000' }, defaults],
  ['--help', ['--help'], {}, { ...defaults, help: true }],
])('reads %s', (_name, args, environment, expected) => {
  expect(readOptions(args, environment)).toEqual(expected)
})

test.each([
  [['--verbose'], "Unknown option '--verbose'. See npm start -- --help"],
  [['-p', '1'], "Unknown option '-p'. See npm start -- --help"],
  [['serve'], "Unexpected argument 'serve'. See npm start -- --help"],
  [['--port'], "Option '--port <value>' argument missing. See npm start -- --help"],
  [['--help=yes'], "Option '--help' does not take an argument. See npm start -- --help"],
  [['--port', 'http'], 'The port must be 0 to 65535, not "http".'],
  [['--port', '65536'], 'The port must be 0 to 65535, not "65536".'],
  [['--port', '80.5'], 'The port must be 0 to 65535, not "80.5".'],
  [['--port=-1'], 'The port must be 0 to 65535, not "-1".'],
  [['--port', '-1'], "Option '--port' argument is ambiguous. See npm start -- --help"],
  [['--host='], 'The host must not be empty.'],
  [['--port='], 'The port must be 0 to 65535, not "".'],
])('refuses %j', (args, message) => {
  expect(() => readOptions(args, {})).toThrow(new CommandError(message))
})

test('refuses a PORT that is no port', () => {
  expect(() => readOptions([], { PORT: 'http' })).toThrow(new CommandError('The port must be 0 to 65535, not "http".'))
})

test('refuses --data beside another DynamoDB, since nothing would be kept there', () => {
  expect(() => readOptions(['--data', 'pets'], { AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost:8000' })).toThrow(
    new CommandError('--data is for the embedded database, but AWS_ENDPOINT_URL_DYNAMODB names another one.'),
  )
})

import { expect, test } from 'vitest'
import { CommandError } from '../../../infra/command-line.ts'
import { readCommand } from '../../../infra/keys/command.ts'

const STAGING = ['--stage', 'staging']
const SEE = 'See npm run keys -- --help'
const NAME = '--name takes 1 to 100 characters, not only white space, and no control characters.'
const PREFIX = '--prefix takes 1 to 100 letters, digits and hyphens, of which the first is a letter.'
const DURATION = 'takes 1 to 99999 seconds, minutes, hours or days, such as 30s, 15m, 24h or 90d.'

test.each([
  [
    ['issue', ...STAGING, '--name', 'shop front', '--expires-in', '90d'],
    {
      action: 'issue',
      name: 'shop front',
      expiresIn: 7_776_000,
      json: false,
      target: { stage: 'staging', prefix: '' },
    },
  ],
  [
    ['--json', '--prefix', 'mine-', '--stage', 'production', 'list'],
    { action: 'list', json: true, target: { stage: 'production', prefix: 'mine-' } },
  ],
  [
    ['rotate', 'key_1', '--grace', '24h', ...STAGING],
    { action: 'rotate', keyId: 'key_1', grace: 86_400, json: false, target: { stage: 'staging', prefix: '' } },
  ],
  [
    ['revoke', '--yes', 'key_1', '--stage', 'local'],
    { action: 'revoke', keyId: 'key_1', yes: true, json: false, target: { stage: 'local', prefix: '' } },
  ],
  [['list', '--help'], { action: 'help' }],
])('reads %j', (args, expected) => {
  expect(readCommand(args)).toEqual(expected)
})

test.each([
  [[], `Say what to do: issue, list, rotate or revoke. ${SEE}`],
  [['delete', ...STAGING], `There is no command "delete". Take issue, list, rotate or revoke. ${SEE}`],
  [['toString', ...STAGING], `There is no command "toString". Take issue, list, rotate or revoke. ${SEE}`],
  [['list'], 'Say which stage with --stage: staging, production or local.'],
  [['list', '--stage', 'test'], 'There is no stage "test". Take staging, production or local.'],
  [['list', '--stage', 'constructor'], 'There is no stage "constructor". Take staging, production or local.'],
  [['list', '--stage'], `Option '--stage <value>' argument missing. ${SEE}`],
  [['list', ...STAGING, '--all'], `Unknown option '--all'. ${SEE}`],
  [['list', ...STAGING, '--grace', '1h'], `list does not take --grace. ${SEE}`],
  [['list', 'key_1', ...STAGING], `list does not take "key_1". ${SEE}`],
  [['list', '--prefix', '', ...STAGING], PREFIX],
  [['list', '--prefix', '1st', ...STAGING], PREFIX],
  [['list', '--prefix', 'a_b', ...STAGING], PREFIX],
  [['list', '--prefix', 'a', '--stage', 'local'], '--prefix is for stages in AWS; the local server has none.'],
  [['issue', ...STAGING], 'Say whom the key is for with --name.'],
  [['issue', ...STAGING, '--name', ''], NAME],
  [['issue', ...STAGING, '--name', ' \u3000'], NAME],
  [['issue', ...STAGING, '--name', 'x'.repeat(101)], NAME],
  [['issue', ...STAGING, '--name', 'shop\u001b[2J'], NAME],
  [['issue', ...STAGING, '--name', 'shop', '--expires-in', 'soon'], `--expires-in ${DURATION}`],
  [['rotate', ...STAGING, '--grace', '1h'], 'Say which key: rotate <keyId>. List them with list.'],
  [['rotate', 'key_1', 'key_2', ...STAGING, '--grace', '1h'], `rotate does not take "key_2". ${SEE}`],
  [['rotate', 'key_1', ...STAGING], 'Say how long the old key stays good with --grace, such as --grace 24h.'],
  [['rotate', 'key_1', ...STAGING, '--grace', '0'], `--grace ${DURATION}`],
  [['revoke', ...STAGING], 'Say which key: revoke <keyId>. List them with list.'],
])('refuses %j', (args, line) => {
  expect(() => readCommand(args)).toThrow(new CommandError(line))
})

test('takes a name of 100 characters, of any script', () => {
  expect(readCommand(['issue', ...STAGING, '--name', '🐕'.repeat(100)])).toMatchObject({ name: '🐕'.repeat(100) })
})

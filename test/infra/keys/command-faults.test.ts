import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { issue } from '../../../infra/keys/actions.ts'
import { answer, answers, type Fault } from '../../support/fault-proxy.ts'
import { exampleCredentials } from '../../support/secrets.ts'
import { deployment, proxy, table } from './faulty-database.ts'
import { failure, runCommand } from './run-command.ts'

// The command finds the proxy where it looks for the local server.
const LOCAL_DATABASE_FILE = join(mkdtempSync(join(tmpdir(), 'faults-')), 'database.json')
const { apiKeysTable } = deployment
writeFileSync(LOCAL_DATABASE_FILE, JSON.stringify({ endpoint: proxy.endpoint, baseUrl: '', apiKeysTable }))

const keys = (...args: string[]) =>
  runCommand('keys', [...args, '--stage', 'local'], { LOCAL_DATABASE_FILE, ...exampleCredentials })

// What DynamoDB says of a key that is there already, which only the SDK's own second try can bring about.
const CLASH = answer(400, { __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException' })

/** Makes all requests of an operation meet the same. */
const always = (operation: string, fault: Fault): void => {
  proxy.faultOf = (request) => (request.operation === operation ? fault : 'pass')
}

test.each([
  ['refuses', answers.accessDenied, 'AWS refuses: Made by the test.'],
  ['cannot be reached', 'cut', 'AWS cannot be reached: socket hang up'],
] as const)('says in one line, without the key, that DynamoDB %s', async (_, fault, line) => {
  always('PutItem', fault)

  expect(await keys('issue', '--name', 'shop front')).toEqual(failure(line))
})

test('shows a new key whose old one could not be given an end, and says so', async () => {
  const { stored } = await issue(table, { name: 'shop front' })
  always('UpdateItem', answers.accessDenied)

  const { code, stdout, stderr } = await keys('rotate', stored.keyId, '--grace', '1h')

  expect([code, stdout.match(/pet_local_/g)]).toEqual([1, ['pet_local_']])
  expect(stderr).toBe(
    `${stored.keyId} may not have been given an end: AWS refuses: Made by the test. The new key is good. Revoke ${stored.keyId} when the client has it.\n`,
  )
})

test('prints the trace of a bug, without the key that it was making', async () => {
  proxy.faultOf = ({ operation }) => (operation === 'PutItem' ? CLASH : 'pass')

  const { code, stdout, stderr } = await keys('issue', '--name', 'shop front')

  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/Error: Two keys have the same digest\.\n +at .*key-table\.ts/)
  expect(stderr).not.toMatch(/pet_local_/)
})

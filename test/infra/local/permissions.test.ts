import * as sdk from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { invoke } from '../../../infra/local/lambda.ts'
import { runWithPermissions } from '../../../infra/local/permissions.ts'
import { replacements } from '../../../infra/packages/lean-dynamodb/index.ts'
import type { OperationId } from '../../../shared/contract.ts'
import { dynamodb } from '../../../shared/data/dynamodb.ts'
import { tableName } from '../../../shared/data/tables.ts'
import { operation } from '../../../shared/pipeline/operation.ts'
import { eventOf } from '../../support/events.ts'
import { errorLog } from '../../support/invoke.ts'
import '../../support/database.ts'

// Tests use the lean client, and the local server the SDK's.
const lean: typeof sdk = await import(replacements['@aws-sdk/lib-dynamodb'])

const pets = tableName('pets')
const options = { abortSignal: new AbortController().signal }
// The clients' types differ.
const send = (command: object) => dynamodb.send(command as sdk.GetCommand, options)

test('a command that the contract does not allow is a 500, and the log says what to add', async () => {
  const event = eventOf('listPets-no-parameters')
  const handler = operation('listPets', async () => {
    await send(new lean.GetCommand({ TableName: pets, Key: { id: 7 } }))
    return { items: [], next: undefined }
  })

  const { statusCode } = await invoke('listPets', handler, event, 60_000)

  const message =
    'listPets may not use GetItem on the table pets. ' +
    `Add pets: 'read' to "access" in its entry in shared/contract.ts.`
  const cause = expect.objectContaining({ name: 'AccessDenied', message })
  expect(statusCode).toBe(500)
  expect(errorLog.mock.calls).toEqual([
    [expect.any(String), event.requestContext.extendedRequestId, 500, cause],
  ])
})

const Key = { id: 7 }
const own = { TableName: pets, Key }
const transact = (...TransactItems: object[]) => new sdk.TransactWriteCommand({ TransactItems })
const gets = [tableName('apiKeys'), pets].map((TableName) => ({ Get: { TableName, Key } }))

test.each<[OperationId, string, object, string]>([
  ['createPet', 'Scan: no entry can', new sdk.ScanCommand(own), ' allow it.'],
  [
    'listPets',
    `GetItem on the table pets`,
    new lean.TransactGetCommand({ TransactItems: gets }),
    'read',
  ],
  [
    'createPet',
    `DeleteItem on the table pets`,
    transact({ Put: { ...own, Item: Key } }, { Delete: own }),
    'remove',
  ],
  // A permission for the indexes of a table is none for the table.
  ['listPets', 'Query on the table pets', new lean.QueryCommand({ TableName: pets }), 'list'],
])('%s may not use %s', async (id, refused, command, advice) => {
  const sent = runWithPermissions(id, () => send(command))

  const reason = expect.stringMatching(`^${id} may not use ${refused}.*'?${advice}'?`)
  await expect(sent).rejects.toMatchObject({ name: 'AccessDenied', message: reason })
})

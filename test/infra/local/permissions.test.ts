import * as sdk from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { invoke } from '../../../infra/local/lambda.ts'
import { replacements } from '../../../infra/packages/lean-dynamodb/index.ts'
import type { OperationId } from '../../../shared/contract.ts'
import { dynamodb } from '../../../shared/data/dynamodb.ts'
import { tableName } from '../../../shared/data/tables.ts'
import { eventOf } from '../../support/events.ts'
import '../../support/database.ts'

// Tests use the lean client, and the local server the SDK's.
const lean: typeof sdk = await import(replacements['@aws-sdk/lib-dynamodb'])

const pets = tableName('pets')
const Key = { id: 7 }
const own = { TableName: pets, Key }
const transact = (...TransactItems: object[]) => new sdk.TransactWriteCommand({ TransactItems })
const gets = [tableName('apiKeys'), pets].map((TableName) => ({ Get: { TableName, Key } }))
const add = (permission: string) =>
  `on the table pets. Add pets: '${permission}' to "access" in its entry in shared/contract.ts.`

test.each<[OperationId, reason: string, command: object]>([
  ['createPet', 'Scan: no entry can allow it.', new sdk.ScanCommand(own)],
  ['listPets', `GetItem ${add('read')}`, new lean.GetCommand(own)],
  ['listPets', `GetItem ${add('read')}`, new lean.TransactGetCommand({ TransactItems: gets })],
  [
    'createPet',
    `DeleteItem ${add('remove')}`,
    transact({ Put: { ...own, Item: Key } }, { Delete: own }),
  ],
  // A permission for the indexes of a table is none for the table.
  ['listPets', `Query ${add('list')}`, new lean.QueryCommand({ TableName: pets })],
])('a command without permission fails: %s may not use %s', async (id, reason, command) => {
  const options = { abortSignal: new AbortController().signal }
  // The clients' types differ.
  const handler = () => dynamodb.send(command as sdk.GetCommand, options) as Promise<never>

  const invoked = invoke(id, handler, eventOf('listPets-no-parameters'), 60_000)

  const message = `${id} may not use ${reason}`
  await expect(invoked).rejects.toMatchObject({ name: 'AccessDenied', message })
})

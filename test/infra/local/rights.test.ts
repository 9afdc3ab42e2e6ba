import * as sdk from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import * as lean from '../../../infra/bundle/lean-client/lib-dynamodb.ts'
import { invoke } from '../../../infra/local/lambda.ts'
import { withRightsOf } from '../../../infra/local/rights.ts'
import type { OperationId } from '../../../shared/contract.ts'
import { dynamodb } from '../../../shared/data/dynamodb.ts'
import { tableName } from '../../../shared/data/tables.ts'
import { operation } from '../../../shared/operation.ts'
import { error } from '../../support/call.ts'
import { eventOf } from '../../support/events.ts'
import '../../support/database.ts'

const [pets, idempotencyKeys] = [tableName('pets'), tableName('idempotencyKeys')]
const options = { abortSignal: new AbortController().signal }
const send = (command: object) => dynamodb.send(command as sdk.GetCommand, options) // The clients' types differ.

test('a command that the contract does not grant is a 500, and the log says what to add', async () => {
  const event = eventOf('listPets-no-parameters')
  const handler = operation('listPets', async () => {
    await send(new lean.GetCommand({ TableName: pets, Key: { id: 7 } }))
    return { items: [], next: undefined }
  })

  const { statusCode } = await invoke('listPets', handler, event, 60_000)

  const message =
    'listPets may not use GetItem on the table pets. ' +
    `Add { table: 'pets', actions: ['GetItem'] } to "access" in its entry in shared/contract.ts.`
  const cause = expect.objectContaining({ name: 'AccessDenied', message })
  expect(statusCode).toBe(500)
  expect(error.mock.calls).toEqual([[expect.any(String), event.requestContext.extendedRequestId, 500, cause]])
})

const Key = { id: 7 }
const check = { ConditionCheck: { TableName: idempotencyKeys, Key, ConditionExpression: 'attribute_exists(id)' } }
const keyThenPet = [{ Get: { TableName: tableName('apiKeys'), Key } }, { Get: { TableName: pets, Key } }]
const putThenDelete = [{ Put: { TableName: pets, Item: Key } }, { Delete: { TableName: pets, Key } }]
const query = { TableName: pets, KeyConditionExpression: 'id = :id', ExpressionAttributeValues: { ':id': 7 } }

test.each<[OperationId, string, string, object]>([
  ['updatePet', 'Query', 'pets', new lean.QueryCommand(query)],
  ['listPets', 'Scan', 'pets', new sdk.ScanCommand({ TableName: pets })],
  ['listPets', 'GetItem', 'Orders', new lean.GetCommand({ TableName: 'Orders', Key })],
  ['createPet', 'BatchGetItem', 'pets', new sdk.BatchGetCommand({ RequestItems: { [pets]: { Keys: [Key] } } })],
  ['listPets', 'ConditionCheckItem', 'idempotencyKeys', new sdk.TransactWriteCommand({ TransactItems: [check] })],
  ['listPets', 'GetItem', 'pets', new lean.TransactGetCommand({ TransactItems: keyThenPet })],
  ['createPet', 'DeleteItem', 'pets', new lean.TransactWriteCommand({ TransactItems: putThenDelete })],
  // DynamoDB ignores what a command does not have.
  ['listPets', 'GetItem', 'pets', { operation: 'GetItem', input: { TableName: pets, RequestItems: {} } }],
])('%s may not use %s on the table %s', async (id, action, table, command) => {
  const sent = withRightsOf(id, () => send(command))

  await expect(sent).rejects.toThrow(
    `${id} may not use ${action} on the table ${table}. Add { table: '${table}', actions: ['${action}'] } to "access"`,
  )
})

test.each(['BatchGetItem', 'TransactWriteItems', 'BatchExecuteStatement'])(
  'refuses a %s without a table',
  async (operation) => {
    const input = { RequestItems: {}, TransactItems: [], Statements: [{ Statement: 'SELECT * FROM pets' }] }
    const sent = withRightsOf('listPets', () => send({ operation, input }))

    await expect(sent).rejects.toThrow(`listPets sends a ${operation} that names no table.`)
  },
)

test.each([
  ['an index without a right', 'updatePet', 'newest'],
  ['another index', 'listPets', 'byName'],
] as const)('a right to a table or an index is not one to %s', async (_, id, IndexName) => {
  const sent = withRightsOf(id, () => send(new lean.QueryCommand({ ...query, IndexName })))

  await expect(sent).rejects.toThrow(
    `${id} may not use Query on the index ${IndexName} of the table pets. ` +
      `Add { table: 'pets', index: '${IndexName}', actions: ['Query'] } to "access"`,
  )
})

test('code outside of an operation may do everything', async () => {
  const { Items } = (await send(new lean.QueryCommand(query))) as sdk.QueryCommandOutput

  expect(Items).toEqual([])
})

test('the error for a command that the embedded database lacks names the way out', async () => {
  const sent = send({ operation: 'ExecuteStatement', input: {} })

  await expect(sent).rejects.toEqual(
    new Error(
      'This database has no ExecuteStatement. Set AWS_ENDPOINT_URL_DYNAMODB to the address of one that has it, such ' +
        'as DynamoDB Local, which you may use if you have an AWS account.',
    ),
  )
})

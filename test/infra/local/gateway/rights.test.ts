import * as sdk from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import * as lean from '../../../../infra/bundle/lean-client/lib-dynamodb.ts'
import { invoke } from '../../../../infra/local/gateway/lambda.ts'
import { withRightsOf } from '../../../../infra/local/gateway/rights.ts'
import type { OperationId } from '../../../../shared/contract.ts'
import { dynamodb } from '../../../../shared/data/dynamodb.ts'
import { tableName } from '../../../../shared/data/tables.ts'
import { operation } from '../../../../shared/operation.ts'
import { error } from '../../../support/call.ts'
import { eventOf } from '../../../support/events.ts'
import { example } from '../../../support/example.ts'
import '../../../support/database.ts'

const { table, create, list } = example
const [resources, idempotencyKeys] = [tableName(table), tableName('idempotencyKeys')]
const options = { abortSignal: new AbortController().signal }
const send = (command: object) => dynamodb.send(command as sdk.GetCommand, options) // The clients' types differ.

test('a command that the contract does not grant is a 500, and the log says what to add', async () => {
  const event = eventOf(example.events.list)
  const handler = operation(list, async () => {
    await send(new lean.GetCommand({ TableName: resources, Key: { id: 7 } }))
    return { items: [], next: undefined }
  })

  const { statusCode } = await invoke(list, handler, event, 60_000)

  const message =
    `${list} may not use GetItem on the table ${table}. ` +
    `Add { table: '${table}', actions: ['GetItem'] } to "access" in its entry in shared/contract.ts.`
  const cause = expect.objectContaining({ name: 'AccessDenied', message })
  expect(statusCode).toBe(500)
  expect(error.mock.calls).toEqual([[expect.any(String), event.requestContext.extendedRequestId, 500, cause]])
})

const Key = { id: 7 }
const check = { ConditionCheck: { TableName: idempotencyKeys, Key, ConditionExpression: 'attribute_exists(id)' } }
const keyThenResource = [{ Get: { TableName: tableName('apiKeys'), Key } }, { Get: { TableName: resources, Key } }]
const putThenDelete = [{ Put: { TableName: resources, Item: Key } }, { Delete: { TableName: resources, Key } }]
const query = { TableName: resources, KeyConditionExpression: 'id = :id', ExpressionAttributeValues: { ':id': 7 } }

test.each<[OperationId, string, string, object]>([
  [create, 'Query', table, new lean.QueryCommand(query)],
  [list, 'Scan', table, new sdk.ScanCommand({ TableName: resources })],
  [list, 'GetItem', 'Toys', new lean.GetCommand({ TableName: 'Toys', Key })],
  [create, 'BatchGetItem', table, new sdk.BatchGetCommand({ RequestItems: { [resources]: { Keys: [Key] } } })],
  [list, 'ConditionCheckItem', 'idempotencyKeys', new sdk.TransactWriteCommand({ TransactItems: [check] })],
  [list, 'GetItem', table, new lean.TransactGetCommand({ TransactItems: keyThenResource })],
  [create, 'DeleteItem', table, new lean.TransactWriteCommand({ TransactItems: putThenDelete })],
  // DynamoDB ignores what a command does not have.
  [list, 'GetItem', table, { operation: 'GetItem', input: { TableName: resources, RequestItems: {} } }],
])('%s may not use %s on the table %s', async (id, action, table, command) => {
  const sent = withRightsOf(id, () => send(command))

  await expect(sent).rejects.toThrow(
    `${id} may not use ${action} on the table ${table}. Add { table: '${table}', actions: ['${action}'] } to "access"`,
  )
})

test.each(['BatchGetItem', 'TransactWriteItems', 'BatchExecuteStatement'])(
  'refuses a %s without a table',
  async (operation) => {
    const input = { RequestItems: {}, TransactItems: [], Statements: [{ Statement: 'SELECT * FROM toys' }] }
    const sent = withRightsOf(list, () => send({ operation, input }))

    await expect(sent).rejects.toThrow(`${list} sends a ${operation} that names no table.`)
  },
)

test.each([
  ['an index without a right', create, 'newest'],
  ['another index', list, 'byNothing'],
] as const)('a right to a table or an index is not one to %s', async (_, id, IndexName) => {
  const sent = withRightsOf(id, () => send(new lean.QueryCommand({ ...query, IndexName })))

  await expect(sent).rejects.toThrow(
    `${id} may not use Query on the index ${IndexName} of the table ${table}. ` +
      `Add { table: '${table}', index: '${IndexName}', actions: ['Query'] } to "access"`,
  )
})

import * as sdk from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import * as lean from '../../../../infra/bundle/lean-client/lib-dynamodb.ts'
import { invoke } from '../../../../infra/local/gateway/lambda.ts'
import { runWithRights } from '../../../../infra/local/gateway/rights.ts'
import type { OperationId } from '../../../../shared/contract.ts'
import { dynamodb } from '../../../../shared/data/dynamodb.ts'
import { tableName } from '../../../../shared/data/tables.ts'
import { operation } from '../../../../shared/pipeline/operation.ts'
import { error } from '../../../support/call.ts'
import { eventOf } from '../../../support/events.ts'
import { example } from '../../../support/example.ts'
import '../../../support/database.ts'

const { table, create, list } = example
const [resources, idempotencyKeys] = [tableName(table), tableName('idempotencyKeys')]
const options = { abortSignal: new AbortController().signal }
// The clients' types differ.
const send = (command: object) => dynamodb.send(command as sdk.GetCommand, options)

test('a command that the contract does not grant is a 500, and the log says what to add', async () => {
  const event = eventOf(example.events.list)
  const handler = operation(list, async () => {
    await send(new lean.GetCommand({ TableName: resources, Key: { id: 7 } }))
    return { items: [], next: undefined }
  })

  const { statusCode } = await invoke(list, handler, event, 60_000)

  const message =
    `${list} may not use GetItem on the table ${table}. ` +
    `Add ${table}: 'read' to "access" in its entry in shared/contract.ts.`
  const cause = expect.objectContaining({ name: 'AccessDenied', message })
  expect(statusCode).toBe(500)
  expect(error.mock.calls).toEqual([
    [expect.any(String), event.requestContext.extendedRequestId, 500, cause],
  ])
})

const Key = { id: 7 }
const own = { TableName: resources, Key }
const check = { TableName: idempotencyKeys, Key, ConditionExpression: 'attribute_exists(id)' }
const transact = (...TransactItems: object[]) => new sdk.TransactWriteCommand({ TransactItems })
const getsOf = (...tables: string[]) =>
  new lean.TransactGetCommand({
    TransactItems: tables.map((TableName) => ({ Get: { TableName, Key } })),
  })
const batch = { RequestItems: { [resources]: { Keys: [Key] } } }

test.each<[OperationId, string, string, object, string?]>([
  [create, 'Scan', table, new sdk.ScanCommand({ TableName: resources })],
  [list, 'GetItem', 'Toys', new lean.GetCommand({ TableName: 'Toys', Key }), 'read'],
  [create, 'BatchGetItem', table, new sdk.BatchGetCommand(batch)],
  [list, 'ConditionCheckItem', 'idempotencyKeys', transact({ ConditionCheck: check }), 'read'],
  [list, 'GetItem', table, getsOf(tableName('apiKeys'), resources), 'read'],
  [
    create,
    'DeleteItem',
    table,
    transact({ Put: { ...own, Item: Key } }, { Delete: own }),
    'remove',
  ],
  // DynamoDB ignores what a command does not have.
  [list, 'GetItem', table, { operation: 'GetItem', input: { ...own, RequestItems: {} } }, 'read'],
])('%s may not use %s on the table %s', async (id, action, table, command, right) => {
  const sent = runWithRights(id, () => send(command))

  const advice = right ? `Add ${table}: '${right}' to "access"` : 'No entry can get this right.'
  await expect(sent).rejects.toThrow(`${id} may not use ${action} on the table ${table}. ${advice}`)
})

test.each(['BatchGetItem', 'TransactWriteItems', 'BatchExecuteStatement'])(
  'refuses a %s without a table',
  async (operation) => {
    const input = {
      RequestItems: {},
      TransactItems: [],
      Statements: [{ Statement: 'SELECT * FROM toys' }],
    }
    const sent = runWithRights(list, () => send({ operation, input }))

    await expect(sent).rejects.toThrow(`${list} sends a ${operation} that names no table.`)
  },
)

test('a right to a table is not one to its indexes', async () => {
  const sent = runWithRights(create, () =>
    send(new lean.QueryCommand({ TableName: resources, IndexName: 'newest' })),
  )

  await expect(sent).rejects.toThrow(
    `${create} may not use Query on the index newest of the table ${table}. Add ${table}: 'list' to "access"`,
  )
})

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
const gets = [tableName('apiKeys'), resources].map((TableName) => ({ Get: { TableName, Key } }))

test.each<[OperationId, string, object, string]>([
  [create, 'Scan: no entry can', new sdk.ScanCommand(own), ' get this right.'],
  [list, 'GetItem on the table Toys', new lean.GetCommand({ ...own, TableName: 'Toys' }), 'read'],
  [
    list,
    'ConditionCheckItem on the table idempotencyKeys',
    transact({ ConditionCheck: check }),
    'read',
  ],
  [
    list,
    `GetItem on the table ${table}`,
    new lean.TransactGetCommand({ TransactItems: gets }),
    'read',
  ],
  [
    create,
    `DeleteItem on the table ${table}`,
    transact({ Put: { ...own, Item: Key } }, { Delete: own }),
    'remove',
  ],
  // A right to a table is not one to its indexes.
  [
    create,
    `Query on the index newest of the table ${table}`,
    new lean.QueryCommand({ TableName: resources, IndexName: 'newest' }),
    'list',
  ],
])('%s may not use %s', async (id, refused, command, advice) => {
  const sent = runWithRights(id, () => send(command))

  const reason = expect.stringMatching(`^${id} may not use ${refused}.*'?${advice}'?`)
  await expect(sent).rejects.toMatchObject({ name: 'AccessDenied', message: reason })
})

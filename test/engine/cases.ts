import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import {
  CreateTableCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb'

type Actions = TransactWriteCommandInput['TransactItems']
type Item = { id: number; n?: number }

/** Two tables of an engine, whose key is the number `id`. The first has an index `byN`. */
export type Engine = { client: DynamoDBDocumentClient; tables: readonly [string, string] }

/** Creates the two tables, lets `use` have them, and deletes them. */
export const withEngine = async (client: DynamoDBClient, use: (engine: Engine) => Promise<void>): Promise<void> => {
  const name = `EngineCases-${randomUUID()}`
  const tables = [`${name}-1`, `${name}-2`] as const
  try {
    await Promise.all(tables.map((table) => createTable(client, table)))
    await use({ client: DynamoDBDocumentClient.from(client), tables })
  } finally {
    await Promise.allSettled(tables.map((TableName) => client.send(new DeleteTableCommand({ TableName }))))
  }
}

const createTable = async (client: DynamoDBClient, TableName: string): Promise<void> => {
  const key = (AttributeName: string) => ({ AttributeName, KeyType: 'HASH' as const })
  const index = { IndexName: 'byN', KeySchema: [key('n')], Projection: { ProjectionType: 'ALL' as const } }
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'id', AttributeType: 'N' },
        { AttributeName: 'n', AttributeType: 'N' },
      ],
      KeySchema: [key('id')],
      GlobalSecondaryIndexes: [index],
    }),
  )
  await waitUntilTableExists({ client, maxWaitTime: 120, minDelay: 1 }, { TableName })
}

/** A rule of DynamoDB's transactions. `differs` says why the emulated AWS breaks it. */
export type Case = { rule: string; differs?: string; check: (engine: Engine) => Promise<void> }

export const cases: Case[] = [
  {
    rule: 'all items are written, in several tables and their indexes',
    check: async (engine) => {
      const [a, b, c] = [newId(), newId(), newId()]
      const [first, second] = engine.tables
      await put(engine, first, { id: c, n: c })

      const outcome = await write(engine, [
        { Put: { TableName: first, Item: { id: a, n: a }, ...isNew } },
        { Put: { TableName: second, Item: { id: b, n: 1 }, ...isNew } },
        { Delete: { TableName: first, Key: { id: c }, ...has(c) } },
      ])

      assert.equal(outcome, 'success')
      assert.deepEqual(await readTogether(engine, a, b), [
        { id: a, n: a },
        { id: b, n: 1 },
      ])
      await until(async () =>
        assert.deepEqual([await listed(engine, a), await listed(engine, c)], [[{ id: a, n: a }], []]),
      )
    },
  },
  {
    rule: 'nothing is written if a condition fails, and the reasons are in the order of the actions',
    check: async (engine) => {
      const [a, b, c] = [newId(), newId(), newId()]
      const [first, second] = engine.tables
      await put(engine, first, { id: a, n: 1 })

      const outcome = await write(engine, [
        { Delete: { TableName: first, Key: { id: a } } },
        { ConditionCheck: { TableName: second, Key: { id: b }, ...has(1) } },
        { Put: { TableName: first, Item: { id: c } } },
        { Put: { TableName: first, Item: { id: b }, ...has(1) } },
      ])

      const failed = { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' }
      assert.deepEqual(outcome, [{ Code: 'None' }, failed, { Code: 'None' }, failed])
      assert.deepEqual([await read(engine, first, a), await read(engine, first, c)], [{ id: a, n: 1 }, undefined])
    },
  },
]

const isNew = { ConditionExpression: 'attribute_not_exists(#id)', ExpressionAttributeNames: { '#id': 'id' } }
const has = (n: number) => ({
  ConditionExpression: '#n = :n',
  ExpressionAttributeNames: { '#n': 'n' },
  ExpressionAttributeValues: { ':n': n },
})

const newId = (): number => randomInt(2 ** 47)

const put = (engine: Engine, TableName: string, Item: Item) => engine.client.send(new PutCommand({ TableName, Item }))

const read = async (engine: Engine, TableName: string, id: number) => {
  const { Item } = await engine.client.send(new GetCommand({ TableName, Key: { id }, ConsistentRead: true }))
  return Item
}

/** Reads an item of the first table together with one of the second. */
const readTogether = async ({ client, tables }: Engine, ...ids: [number, number]) => {
  const TransactItems = tables.map((TableName, i) => ({ Get: { TableName, Key: { id: ids[i] } } }))
  const { Responses } = await client.send(new TransactGetCommand({ TransactItems }))
  return Responses?.map(({ Item }) => Item)
}

const listed = async ({ client, tables: [TableName] }: Engine, n: number) => {
  const KeyConditionExpression = '#n = :n'
  const names = { ExpressionAttributeNames: { '#n': 'n' }, ExpressionAttributeValues: { ':n': n } }
  const { Items } = await client.send(
    new QueryCommand({ TableName, IndexName: 'byN', KeyConditionExpression, ...names }),
  )
  return Items
}

/** Repeats an assertion for at most a minute: indexes of DynamoDB are eventually consistent. */
const until = async (check: () => Promise<void>): Promise<void> => {
  const end = performance.now() + 60_000
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > end) throw error
    }
  }
}

/** Runs a transaction. Returns 'success', the reasons of its cancellation, or the name of another error. */
const write = async ({ client }: Engine, TransactItems: Actions, ClientRequestToken = randomUUID()) => {
  try {
    await client.send(new TransactWriteCommand({ TransactItems, ClientRequestToken }))
    return 'success'
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return 'CancellationReasons' in error ? error.CancellationReasons : error.name
  }
}

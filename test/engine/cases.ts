import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import {
  type ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  TransactionCanceledException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import * as sdk from '@aws-sdk/lib-dynamodb'

/** Two tables of a DynamoDB, whose key is the number `id`. */
export type Engine = { client: sdk.DynamoDBDocumentClient; first: string; second: string }

/** A rule of DynamoDB, and its check. */
export type Case = { rule: string; check: (engine: Engine) => Promise<void> }

/**
 * Creates two tables, lets `use` have them, and deletes them. The client must not retry: cases
 * expect its errors.
 */
export const withTables = async (
  client: DynamoDBClient,
  use: (engine: Engine) => Promise<void>,
): Promise<void> => {
  const name = `EngineCases-${randomUUID()}`
  const [first, second] = [`${name}-1`, `${name}-2`]
  try {
    await Promise.all([createTable(client, first), createTable(client, second)])
    await use({ client: sdk.DynamoDBDocumentClient.from(client), first, second })
  } finally {
    // If the tables could not be created, the reason for that is thrown.
    for (const TableName of [first, second])
      await client.send(new DeleteTableCommand({ TableName })).catch(console.error)
  }
}

export const cases: Case[] = [
  {
    rule: 'all actions take effect, in several tables',
    check: async (engine) => {
      const { first, second } = engine
      const [added, updated, deleted, checked] = [newId(), newId(), newId(), newId()]
      await put(engine, { id: deleted, n: deleted })
      await put(engine, { id: checked, n: 1 })

      const outcome = await write(engine, [
        {
          Put: {
            TableName: first,
            Item: { id: added, n: added },
            ConditionExpression: 'attribute_not_exists(id)',
          },
        },
        increment(second, updated),
        { Delete: { TableName: first, Key: { id: deleted }, ...has(deleted) } },
        { ConditionCheck: { TableName: first, Key: { id: checked }, ...has(1) } },
      ])

      assert.equal(outcome, 'success')
      assert.deepEqual(await readTogether(engine, added, updated), [added, 1])
      assert.deepEqual(
        [await read(engine, deleted), await read(engine, checked)],
        [undefined, { id: checked, n: 1 }],
      )
    },
  },
  {
    rule: 'nothing is written if conditions fail, and the reasons are in the order of the actions',
    check: async (engine) => {
      const { first, second } = engine
      const [a, b] = [newId(), newId()]
      await put(engine, { id: a, n: 1 })

      const outcome = await write(engine, [
        { Delete: { TableName: first, Key: { id: a } } },
        { ConditionCheck: { TableName: second, Key: { id: b }, ...has(1) } },
        increment(first, b),
        { Put: { TableName: second, Item: { id: a }, ...has(1) } },
      ])

      assert.equal(outcome, 'None, ConditionalCheckFailed, None, ConditionalCheckFailed')
      assert.deepEqual([await read(engine, a), await read(engine, b)], [{ id: a, n: 1 }, undefined])
    },
  },
  {
    rule: 'the reason of a failed condition has the item, if the action asks for it',
    check: async (engine) => {
      const { client, first: TableName } = engine
      const id = newId()
      await put(engine, { id, n: 2 })
      const asked = { ...has(1), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const
      const key = { TableName, Key: { id } }
      const items = [
        { Delete: { ...key, ...asked } },
        { ConditionCheck: { TableName: engine.second, Key: { id }, ...asked } },
      ]

      const canceled = client.send(new sdk.TransactWriteCommand({ TransactItems: items }))
      const alone = client.send(new sdk.DeleteCommand({ ...key, ...asked }))

      const item = { id: { N: String(id) }, n: { N: '2' } }
      await assert.rejects(canceled, ({ CancellationReasons }: TransactionCanceledException) => {
        assert.deepEqual(
          CancellationReasons?.map(({ Item }) => Item),
          [item, undefined],
        )
        return true
      })
      await assert.rejects(alone, ({ Item }: ConditionalCheckFailedException) => {
        assert.deepEqual(Item, item)
        return true
      })
    },
  },
  {
    rule: 'nothing is written if an action is malformed or impossible, if two have one item, or if they are too many',
    check: async (engine) => {
      const { first: TableName } = engine
      const [id, other] = [newId(), newId()]
      await put(engine, { id: other, word: 'one' })
      const action = increment(TableName, id)
      const malformed = { TableName, Key: { id: other }, ConditionExpression: 'n = :missing' }
      const others = Array.from({ length: 100 }, () => increment(TableName, newId()))

      const outcomes = [
        await write(engine, [action, { Delete: malformed }]),
        await write(engine, [action, increment(TableName, other, 'word')]),
        await write(engine, [action, { Delete: { TableName, Key: { id } } }]),
        await write(engine, [action, ...others]),
      ]

      const invalid = 'ValidationException'
      assert.deepEqual(outcomes, [invalid, 'None, ValidationError', invalid, invalid])
      assert.equal(await read(engine, id), undefined)
    },
  },
  {
    rule: 'a transaction takes effect once for each token, also if it is sent many times at once',
    check: async (engine) => {
      const [id, token] = [newId(), randomUUID()]
      const actions = [increment(engine.first, id)]

      const together = await times(20, () => write(engine, actions, token))
      const outcomes = [
        await write(engine, actions, token),
        await write(engine, [increment(engine.second, id)], token),
        await write(engine, actions),
      ]

      assert.deepEqual(except(together, /^(success|TransactionInProgressException)$/), [])
      assert.deepEqual(outcomes, ['success', 'IdempotentParameterMismatchException', 'success'])
      assert.deepEqual(await readTogether(engine, id, id), [2, undefined])
    },
  },
  {
    rule: 'a canceled transaction runs again with its token',
    check: async (engine) => {
      const [id, token] = [newId(), randomUUID()]
      const actions = [{ Put: { TableName: engine.first, Item: { id, n: 2 }, ...has(1) } }]

      const canceled = await write(engine, actions, token)
      await put(engine, { id, n: 1 })
      const outcome = await write(engine, actions, token)

      assert.deepEqual([canceled, outcome], ['ConditionalCheckFailed', 'success'])
      assert.deepEqual(await read(engine, id), { id, n: 2 })
    },
  },
  {
    rule: 'writes at once take effect once, or are refused because of a conflict',
    check: async (engine) => {
      const id = newId()
      const actions = [increment(engine.first, id), increment(engine.second, id)]

      const outcomes = await times(20, () => write(engine, actions))

      assert.deepEqual(except(outcomes, CONFLICT), [])
      const successes = outcomes.filter((outcome) => outcome === 'success').length || undefined
      assert.deepEqual(await readTogether(engine, id, id), [successes, successes])
    },
  },
  {
    rule: 'items that are read together are of one moment',
    check: async (engine) => {
      const id = newId()
      const actions = [increment(engine.first, id), increment(engine.second, id)]
      await write(engine, actions)

      let left = 50

      const reading = times(3, async () => {
        const seen: string[] = []
        while (left > 0) seen.push(`${await readTogether(engine, id, id).catch(reasonOf)}`)
        return seen
      })
      for (; left > 0; left -= 1) await write(engine, actions)

      const seen = (await reading).flat()
      const values = except(seen, CONFLICT)
      assert.deepEqual(except(values, /^(\d+),\1$/), [])
      assert.ok(values.length > 0)
    },
  },
]

export const newId = (): number => randomInt(2 ** 47)

const times = <Result>(count: number, act: () => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, act))

const except = (outcomes: string[], allowed: RegExp) =>
  outcomes.filter((outcome) => !allowed.test(outcome))

/** The outcome of a transaction of two actions that succeeds or is canceled by another. */
const CONFLICT = /^(success|(None|TransactionConflict), (None|TransactionConflict))$/

const has = (n: number) => ({
  ConditionExpression: 'n = :expected',
  ExpressionAttributeValues: { ':expected': n },
})

/** An action that adds one to an attribute. */
export const increment = (TableName: string, id: number, attribute = 'n') => ({
  Update: {
    TableName,
    Key: { id },
    UpdateExpression: `ADD ${attribute} :one`,
    ExpressionAttributeValues: { ':one': 1 },
  },
})

/** Runs a transaction. Returns `success`, or why it failed. */
export const write = (
  { client }: Engine,
  TransactItems: sdk.TransactWriteCommandInput['TransactItems'],
  ClientRequestToken: string = randomUUID(),
): Promise<string> =>
  client
    .send(new sdk.TransactWriteCommand({ TransactItems, ClientRequestToken }))
    .then(() => 'success', reasonOf)

/** Writes an item to the first table. */
export const put = ({ client, first: TableName }: Engine, Item: Record<string, number | string>) =>
  client.send(new sdk.PutCommand({ TableName, Item }))

/** Reads an item of the first table. */
export const read = async ({ client, first: TableName }: Engine, id: number) =>
  (await client.send(new sdk.GetCommand({ TableName, Key: { id }, ConsistentRead: true }))).Item

/** Reads `n` of an item of the first table and one of the second. */
export const readTogether = async (
  { client, first, second }: Engine,
  id: number,
  otherId: number,
) => {
  const items = [
    { Get: { TableName: first, Key: { id } } },
    { Get: { TableName: second, Key: { id: otherId } } },
  ]
  const { Responses = [] } = await client.send(new sdk.TransactGetCommand({ TransactItems: items }))
  return Responses.map(({ Item }) => Item?.n)
}

/** The codes of a cancellation, or the name of another error. */
const reasonOf = (error: Error): string =>
  error instanceof TransactionCanceledException
    ? `${error.CancellationReasons?.map(({ Code }) => Code).join(', ')}`
    : error.name

const createTable = async (client: DynamoDBClient, TableName: string): Promise<void> => {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'N' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  )
  await waitUntilTableExists({ client, maxWaitTime: 300, minDelay: 1, maxDelay: 2 }, { TableName })
}

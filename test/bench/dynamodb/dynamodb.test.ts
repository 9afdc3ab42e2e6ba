import { mkdtempSync, readFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storedLocalApiKey } from '../../../infra/local/announcement.ts'
import { PET } from './answers.ts'
import { type DynamoDb, startDynamoDb } from './start-dynamodb.ts'

let dynamodb: DynamoDb
beforeAll(async () => {
  dynamodb = await startDynamoDb(mkdtempSync(join(tmpdir(), 'dynamodb-')))
})
afterAll(() => dynamodb.stop())

const clientWith = (ca?: Buffer) => {
  const requestHandler = { httpsAgent: new Agent(ca ? { ca } : {}) }
  const { endpoint } = dynamodb
  return DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region: 'a', maxAttempts: 1, requestHandler }))
}

const client = () => clientWith(readFileSync(dynamodb.authorityFile))

test('finds the local API key and one pet, and no other', async () => {
  const get = async (TableName: string, Key: object) =>
    (await client().send(new GetCommand({ TableName, Key: { ...Key } }))).Item

  expect(await get('ApiKeys', { digest: storedLocalApiKey.digest })).toEqual(storedLocalApiKey)
  expect(await get('ApiKeys', { digest: 'a' })).toBeUndefined()
  expect(await get('Pets', { id: PET.id })).toMatchObject(PET)
  expect(await get('Pets', { id: 8 })).toBeUndefined()
})

test('lists as many pets as are asked for, newest first', async () => {
  const { Items = [] } = await client().send(new QueryCommand({ TableName: 'Pets', Limit: 21 }))

  const ids = Items.map(({ id }) => id)
  expect(ids).toHaveLength(21)
  expect(ids).toEqual(ids.toSorted((a, b) => b - a))
})

test('takes what is put, and refuses what it does not know', async () => {
  await client().send(new PutCommand({ TableName: 'Pets', Item: { id: 8 } }))

  await expect(client().send(new ListTablesCommand())).rejects.toMatchObject({ name: 'UnknownOperationException' })
})

test('is not believed without the authority of its certificate', async () => {
  const get = new GetCommand({ TableName: 'Pets', Key: { id: PET.id } })

  await expect(clientWith().send(get)).rejects.toMatchObject({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })
})

test('says what it needs where there is no openssl', async () => {
  const path = process.env.PATH
  process.env.PATH = ''
  try {
    await expect(startDynamoDb('.')).rejects.toThrow('This needs openssl, version 3 or later: spawn openssl ENOENT')
  } finally {
    process.env.PATH = path
  }
})

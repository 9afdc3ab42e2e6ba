import { once } from 'node:events'
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb'
import { Level } from 'level'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CommandError } from '../../../infra/command-line.ts'
import { startEmbedded } from '../../../infra/local/embedded-database.ts'
import { temporaryFolder } from './command.ts'
import { wireTo } from './wire.ts'

const clientOf = (endpoint: string): DynamoDBClient => {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials })
  onTestFinished(() => client.destroy())
  return client
}

const tablesAt = async (endpoint: string) => (await clientOf(endpoint).send(new ListTablesCommand())).TableNames

const createTable = async (endpoint: string) => {
  const client = clientOf(endpoint)
  const Pets = { TableName: 'Pets' }
  await client.send(
    new CreateTableCommand({
      ...Pets,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'N' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  )
  await vi.waitUntil(
    async () => (await client.send(new DescribeTableCommand(Pets))).Table?.TableStatus === 'ACTIVE',
    30_000,
  )
}

const queryTable = (endpoint: string) =>
  clientOf(endpoint).send(
    new QueryCommand({
      TableName: 'Pets',
      KeyConditionExpression: 'id = :id',
      ExpressionAttributeValues: { ':id': { N: '7' } },
    }),
  )

test('is a DynamoDB of its own each time, in memory', async () => {
  const [one, other] = await Promise.all([startEmbedded(), startEmbedded()])
  for (const { close } of [one, other]) onTestFinished(close)

  await createTable(one.endpoint)

  expect([await tablesAt(one.endpoint), await tablesAt(other.endpoint)]).toEqual([['Pets'], []])
})

test('keeps what is in a folder, and nobody else may use that until it is closed', async () => {
  const folder = temporaryFolder()
  const first = await startEmbedded(folder)
  await createTable(first.endpoint)

  const refused = await startEmbedded(folder).catch((error) => error)
  await first.close()
  const second = await startEmbedded(folder)
  onTestFinished(() => second.close())

  expect(refused).toEqual(new CommandError('The data folder cannot be used: another server is using it.'))
  expect(await tablesAt(second.endpoint)).toEqual(['Pets'])
})

test.each([
  ['in memory', () => undefined],
  ['in a folder', temporaryFolder],
])('keeps nothing open that a query has read, %s', async (_place, folder) => {
  const { endpoint, close } = await startEmbedded(folder())
  onTestFinished(close)
  await createTable(endpoint)
  const stores = Object.getPrototypeOf(Level.prototype)
  const [opened, closed] = [vi.spyOn(stores, 'attachResource'), vi.spyOn(stores, 'detachResource')]
  onTestFinished(() => void vi.restoreAllMocks())

  await queryTable(endpoint)

  expect(opened.mock.calls.length).toBeGreaterThan(0)
  await vi.waitFor(() => expect(closed.mock.calls.length).toBe(opened.mock.calls.length), 30_000)
})

test('answers although a client went away in the middle of a request', async () => {
  const { endpoint, close } = await startEmbedded()
  onTestFinished(close)
  const { socket } = await wireTo(Number(new URL(endpoint).port))

  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n{', () => socket.resetAndDestroy())
  await once(socket, 'close')

  expect(await tablesAt(endpoint)).toEqual([])
})

test('closes although connections are open', async () => {
  const { endpoint, close } = await startEmbedded()
  const wire = await wireTo(Number(new URL(endpoint).port))
  await tablesAt(endpoint)

  await close()

  expect(await wire.rest()).toBe('')
})

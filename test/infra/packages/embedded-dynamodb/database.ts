import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished, vi } from 'vitest'
import { startEmbedded } from '../../../../infra/packages/embedded-dynamodb/index.ts'

/** The endpoint of a database in memory that is closed when the test ends. */
export const embedded = async (): Promise<string> => {
  const { endpoint, close } = await startEmbedded()
  onTestFinished(close)
  return endpoint
}

/** Sends a request to an embedded database as the SDK does. */
export const request = async (endpoint: string, operation: string, body: unknown, headers = {}) => {
  const options = {
    method: 'POST',
    headers: { 'X-Amz-Target': `DynamoDB_20120810.${operation}`, ...headers },
  }
  const [response] = await once(
    httpRequest(endpoint, options).end(JSON.stringify(body)),
    'response',
  )
  return { status: response.statusCode, text: await text(response) }
}

/** The names of the tables. */
export const tablesAt = async (endpoint: string) =>
  JSON.parse((await request(endpoint, 'ListTables', {})).text).TableNames

/** Creates a table, by default without indexes, and waits until it is active. */
export const createTable = async (endpoint: string, TableName = 'Things', definition = {}) => {
  await request(endpoint, 'CreateTable', {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'N' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    ...definition,
  })
  const isActive = async () =>
    (await request(endpoint, 'DescribeTable', { TableName })).text.includes('"ACTIVE"')
  await vi.waitUntil(isActive, 30_000)
}

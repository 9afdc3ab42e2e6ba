// AWS's own client of DynamoDB with its default settings, and no framework.
import {
  type AttributeValue,
  DynamoDBClient,
  GetItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { fields, isKnown, queryOf, response, type Store, unauthorized } from './list.ts'

const client = new DynamoDBClient()

export const store: Store = {
  readKey: async (digest) => {
    const Key = { digest: { S: digest } }
    const input = { TableName: process.env.API_KEYS_TABLE, Key, ConsistentRead: true }
    return (await client.send(new GetItemCommand(input))).Item
  },
  list: async (status) => {
    const { Items = [] } = await client.send(new QueryCommand(queryOf({ S: `${status}#0` })))
    return Items.slice(0, 1).map((item) =>
      Object.fromEntries(fields.map((name) => [name, plain(item[name])])),
    )
  },
}

const plain = ({ S, N }: Partial<AttributeValue> = {}): unknown => S ?? (N && Number(N))

export const handler = async (event: APIGatewayProxyEvent) => {
  if (!(await isKnown(event.headers.Authorization, store.readKey)))
    return response(401, unauthorized)
  return response(200, await store.list(event.queryStringParameters?.status ?? ''))
}

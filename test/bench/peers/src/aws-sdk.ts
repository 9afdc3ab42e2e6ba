// AWS's own client of DynamoDB with its default settings, and no framework.
import {
  DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb'
import { bareHandler, type Output, storeOf } from './list.ts'

const client = new DynamoDBClient()

export const store = storeOf(async (operation, input) => {
  if (operation === 'GetItem')
    return (await client.send(new GetItemCommand(input as GetItemCommandInput))) as Output
  return (await client.send(new QueryCommand(input as QueryCommandInput))) as Output
})

export const handler = bareHandler(store)

// AWS's own client of DynamoDB with its default settings, and no framework.
import { DynamoDBClient, GetItemCommand, type GetItemCommandInput } from '@aws-sdk/client-dynamodb'
import { bareHandler, storeOf } from './get-pet.ts'

const client = new DynamoDBClient()

export const store = storeOf(async (input) => {
  const { Item } = await client.send(new GetItemCommand(input as GetItemCommandInput))
  return Item
})

export const handler = bareHandler(store)

import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { setting } from '../../shared/data/tables.ts'

const client = DynamoDBDocumentClient.from(new DynamoDBClient())

/** The item of a pet as it stands in DynamoDB. */
export const storedPet = async (id: number) => {
  const { Item } = await client.send(new GetCommand({ TableName: setting('petsTable'), Key: { id } }))
  return Item
}

/** How many pets DynamoDB holds. */
export const countStored = async () => {
  const { Count } = await client.send(new ScanCommand({ TableName: setting('petsTable'), Select: 'COUNT' }))
  return Count
}

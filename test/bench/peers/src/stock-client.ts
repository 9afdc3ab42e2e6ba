import { type AttributeValue, DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { bareHandler } from './bare-handler.ts'

const client = new DynamoDBClient()

const read = async (TableName: string | undefined, Key: Record<string, AttributeValue>) => {
  const { Item } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }))
  return Item
}

export const handler = bareHandler({
  readKey: (digest) => read(process.env.API_KEYS_TABLE, { digest: { S: digest } }),
  readPet: async (petId = '') => {
    const item = await read(process.env.PETS_TABLE, { id: { N: petId } })
    if (!item) return undefined
    const { id, name, categoryId, status } = item
    return { id: Number(id?.N), name: name?.S ?? '', categoryId: Number(categoryId?.N), status: status?.S }
  },
})

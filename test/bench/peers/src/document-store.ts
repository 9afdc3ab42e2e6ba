import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb'
import type { Pet } from './answers.ts'

/** Reads API keys and pets. */
export const documentStore = (client: DynamoDBDocumentClient) => {
  const read = async (TableName: string | undefined, Key: Record<string, unknown>) => {
    const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))
    return Item
  }
  return {
    readKey: (digest: string) => read(process.env.API_KEYS_TABLE, { digest }),
    readPet: async (petId: string | undefined): Promise<Pet | undefined> => {
      const item = await read(process.env.PETS_TABLE, { id: Number(petId) })
      return item && { id: item.id, name: item.name, categoryId: item.categoryId, status: item.status }
    },
  }
}

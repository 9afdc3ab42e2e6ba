import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import { openDatabase } from '../../infra/local/database.ts'
import { setting } from '../../shared/data/tables.ts'
import { exampleCredentials } from './secrets.ts'

// Each test file that imports this has a database of its own, with the service's tables and the local API key.
await openDatabase()
// In place of the words that the embedded database puts there, since those would not be recognised in a log.
Object.assign(process.env, exampleCredentials)

const client = DynamoDBDocumentClient.from(new DynamoDBClient())

/** Writes an item as it is, for what the service itself would not write. */
export const putItem = (table: 'petsTable' | 'apiKeysTable', Item: Record<string, unknown>) =>
  client.send(new PutCommand({ TableName: setting(table), Item }))

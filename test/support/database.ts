import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import { openDatabase } from '../../infra/local/database.ts'
import { type TableId, tableName } from '../../shared/data/tables.ts'
import { exampleCredentials } from './secrets.ts'

// A test file that imports this has its own database, with the service's tables and the local API key.
await openDatabase()
// Instead of the placeholders of the embedded database, which a search of the logs would not recognize.
Object.assign(process.env, exampleCredentials)

const client = DynamoDBDocumentClient.from(new DynamoDBClient())

/** Writes an item that the service itself would not write. */
export const putItem = (table: TableId, Item: Record<string, unknown>) =>
  client.send(new PutCommand({ TableName: tableName(table), Item }))

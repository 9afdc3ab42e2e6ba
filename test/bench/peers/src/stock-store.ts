import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { documentStore } from './document-store.ts'

/** By the document client as it comes. */
export const stockStore = documentStore(DynamoDBDocumentClient.from(new DynamoDBClient()))

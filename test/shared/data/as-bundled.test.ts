import { expect, test } from 'vitest'
import { DynamoDBDocumentClient } from '../../../infra/bundle/sdk/lib-dynamodb.ts'
import { dynamodb } from '../../../shared/data/dynamodb.ts'

test('the data is tested with the client that it is bundled with', () => {
  expect(dynamodb).toBeInstanceOf(DynamoDBDocumentClient)
})

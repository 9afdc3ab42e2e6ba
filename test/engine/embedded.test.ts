import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { onTestFinished, test } from 'vitest'
import { startEmbedded } from '../../infra/local/embedded-database.ts'
import { cases, withEngine } from './cases.ts'

test.each(cases)('$rule', async ({ check }) => {
  const { endpoint, close } = await startEmbedded()
  onTestFinished(close)
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 })
  onTestFinished(() => client.destroy())

  await withEngine(client, check)
})

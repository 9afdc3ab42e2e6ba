import { storedLocalApiKey } from '../../../infra/local/announcement.ts'
import { answerTo, PET } from '../dynamodb/answers.ts'
import { tables } from '../dynamodb/tables.ts'

const found = (TableName: string, Key: Record<string, Record<string, string>>): string =>
  JSON.stringify(answerTo('GetItem', { TableName, Key }))

const answers = {
  [tables.API_KEYS_TABLE]: found(tables.API_KEYS_TABLE, { digest: { S: storedLocalApiKey.digest } }),
  [tables.PETS_TABLE]: found(tables.PETS_TABLE, { id: { N: `${PET.id}` } }),
}

/** For `startWarm`: the function reaches a DynamoDB within its own process, which finds the API key and the pet. */
export const withoutNetwork = {
  file: 'warm/client-without-network.cjs',
  env: { AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost', BENCH_ANSWERS: JSON.stringify(answers) },
}

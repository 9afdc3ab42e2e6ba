import { fileURLToPath } from 'node:url'

const leanClient = (file: string) => fileURLToPath(new URL(`lean-client/${file}`, import.meta.url))

/**
 * The packages that the bundle replaces by the lean DynamoDB client, which starts faster. (A file
 * of its own, because the tests read it without loading CDK.)
 */
export const aliases = {
  '@aws-sdk/client-dynamodb': leanClient('client-dynamodb.ts'),
  '@aws-sdk/lib-dynamodb': leanClient('lib-dynamodb.ts'),
}

import { fileURLToPath } from 'node:url'

const leanClient = (file: string) => fileURLToPath(new URL(`lean-client/${file}`, import.meta.url))

/**
 * The packages that the bundle replaces, and the file that replaces each: the lean DynamoDB client,
 * which has only what a function needs, and makes cold starts faster. (This file is separate
 * because the tests read it without loading CDK.)
 */
export const aliases = {
  '@aws-sdk/client-dynamodb': leanClient('client-dynamodb.ts'),
  '@aws-sdk/lib-dynamodb': leanClient('lib-dynamodb.ts'),
}

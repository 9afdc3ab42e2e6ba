import { fileURLToPath } from 'node:url'

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** The files of this package by the names of the packages that they replace in a bundle. */
export const replacements = {
  '@aws-sdk/client-dynamodb': file('client-dynamodb.ts'),
  '@aws-sdk/lib-dynamodb': file('lib-dynamodb.ts'),
}

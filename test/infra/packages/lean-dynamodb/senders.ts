import * as sdkClient from '@aws-sdk/client-dynamodb'
import * as sdkLib from '@aws-sdk/lib-dynamodb'
import { replacements } from '../../../../infra/packages/lean-dynamodb/index.ts'

// They have the types of the SDK's packages, as in a bundle.
export const client: typeof sdkClient = await import(replacements['@aws-sdk/client-dynamodb'])
const lib: typeof sdkLib = await import(replacements['@aws-sdk/lib-dynamodb'])

export const configuration = (maxAttempts = 1, limit = 60_000) => ({
  maxAttempts,
  requestHandler: {
    connectionTimeout: 60_000,
    requestTimeout: limit,
    socketTimeout: limit,
    throwOnRequestTimeout: true,
  },
})
export type Configured = Parameters<typeof configuration>

export type Name =
  | 'GetCommand'
  | 'PutCommand'
  | 'QueryCommand'
  | `Transact${'Get' | 'Write'}Command`

/** Returns a function that sends a command with a new lean client. */
export const leanSender = (...options: Configured) =>
  sender(lib, new client.DynamoDBClient(configuration(...options)))

/** Returns a function that sends a command with a new client of the SDK. */
export const sdkSender = (...options: Configured) =>
  sender(sdkLib, new sdkClient.DynamoDBClient(configuration(...options)))

const sender = (commands: typeof sdkLib, direct: sdkClient.DynamoDBClient) => {
  // Of its own, because the SDK's client changes it.
  const translation = { marshallOptions: { removeUndefinedValues: true } }
  const client = commands.DynamoDBDocumentClient.from(direct, translation)
  // The SDK's types are narrower, for a table of cases.
  return (name: Name, input: object, options = {}): Promise<object> =>
    client.send(new commands[name](input as never) as sdkLib.GetCommand, options)
}

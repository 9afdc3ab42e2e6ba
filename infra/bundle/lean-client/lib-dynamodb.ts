// Replaces `@aws-sdk/lib-dynamodb` in the bundle (../aliases.ts), because that package loads all of the SDK's commands. The
// bundling fails if a function imports another command, and the setting `stockClient` of a stage bundles the packages.
import { marshall, type marshallOptions, unmarshall, type unmarshallOptions } from '@aws-sdk/util-dynamodb'
import type { DynamoDBClient, Options } from './client-dynamodb.ts'
import { notSupported } from './environment.ts'

type Values = Record<string, unknown>
type Command = { operation: string; input: Values }
type Translation = { marshallOptions?: marshallOptions; unmarshallOptions?: unmarshallOptions }

/** Replaces the class of the same name. */
export class DynamoDBDocumentClient {
  readonly #client: DynamoDBClient
  readonly #translation: Translation

  static from(client: DynamoDBClient, translation: Translation): DynamoDBDocumentClient {
    return new DynamoDBDocumentClient(client, translation)
  }

  private constructor(client: DynamoDBClient, translation: Translation) {
    this.#client = client
    this.#translation = translation
  }

  async send({ operation, input }: Command, options: Options): Promise<Values> {
    const { marshallOptions, unmarshallOptions } = this.#translation
    const other = Object.keys(input).find((name) => UNSUPPORTED.test(name))
    if (other) throw notSupported(`the parameter ${other}`)
    const marshalled = translate(input, INPUT_ITEMS, (item) => marshall(item, marshallOptions))
    const output = await this.#client.send(operation, marshalled, options)
    return translate(output, OUTPUT_ITEMS, (item) => unmarshall(item, unmarshallOptions))
  }
}

const command = (operation: string) =>
  class {
    readonly operation = operation
    readonly input: Values
    constructor(input: Values) {
      this.input = input
    }
  }

// Replace the classes of the same names. Add a command here when an operation needs it.
export const GetCommand = command('GetItem')
export const PutCommand = command('PutItem')
export const UpdateCommand = command('UpdateItem')
export const DeleteCommand = command('DeleteItem')
export const QueryCommand = command('Query')

// The fields that hold items or parts of them (DynamoDB API reference).
const INPUT_ITEMS = ['Key', 'Item', 'ExclusiveStartKey', 'ExpressionAttributeValues']
const OUTPUT_ITEMS = ['Item', 'Items', 'Attributes', 'LastEvaluatedKey']

// Parameters that hold items in another way: those of transactions and batches, the legacy ones, and item collection metrics.
const UNSUPPORTED = /(Items|Updates|Expected|Conditions|Filter|Metrics)$/

type Item = Parameters<typeof unmarshall>[0]

// Casts, because the types that check what a function sends are those of the replaced package.
const translate = (values: Values, names: string[], each: (item: Item) => unknown): Values => {
  const translated = { ...values }
  for (const name of names) {
    const value = values[name]
    if (Array.isArray(value)) translated[name] = value.map((item: Item) => each(item))
    else if (value !== undefined) translated[name] = each(value as Item)
  }
  return translated
}

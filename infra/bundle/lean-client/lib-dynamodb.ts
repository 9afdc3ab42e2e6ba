// Replaces `@aws-sdk/lib-dynamodb` in the bundle (../aliases.ts), because that package loads all of the SDK's commands. It
// has no binary values: DynamoDB refuses to store a value that is sent like this.
import { marshall, type marshallOptions, unmarshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBClient, Options } from './client-dynamodb.ts'

type Values = Record<string, unknown>
type Command = { operation: string; input: Values }
type Translation = { marshallOptions: marshallOptions }

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
    const marshalled = translate(input, INPUT_ITEMS, (item) => marshall(item, this.#translation.marshallOptions))
    return translate({ ...(await this.#client.send(operation, marshalled, options)) }, OUTPUT_ITEMS, unmarshall)
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

// The fields that hold items or parts of them (DynamoDB API reference; without the legacy parameters).
const INPUT_ITEMS = ['Key', 'Item', 'ExclusiveStartKey', 'ExpressionAttributeValues']
const OUTPUT_ITEMS = ['Item', 'Items', 'Attributes', 'LastEvaluatedKey']

type Item = Parameters<typeof unmarshall>[0]

const translate = (values: Values, names: string[], each: (item: Item) => unknown): Values => {
  const translated = names.filter((name) => values[name] !== undefined).map((name) => [name, all(values[name], each)])
  return { ...values, ...Object.fromEntries(translated) }
}

// A cast, because the types that check what a function sends are those of the replaced package.
const all = (items: unknown, each: (item: Item) => unknown) =>
  Array.isArray(items) ? items.map((item) => each(item)) : each(items as Item)

import { marshall, type marshallOptions, unmarshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBClient, Options } from './client-dynamodb.ts'

type Values = Record<string, unknown>
type Command = { operation: string; input: Values }
type Translation = { marshallOptions: marshallOptions }

/** For `@aws-sdk/lib-dynamodb`'s class of that name. Has no binary values: DynamoDB refuses to store one that is sent so. */
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
    const marshalled = translate(input, ITEMS_IN, (item) => marshall(item, this.#translation.marshallOptions))
    return translate({ ...(await this.#client.send(operation, marshalled, options)) }, ITEMS_OUT, unmarshall)
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

// For the classes of these names. An operation that needs another of the SDK's commands adds it here.
export const GetCommand = command('GetItem')
export const PutCommand = command('PutItem')
export const QueryCommand = command('Query')

// What holds attributes, by DynamoDB's API reference (its parameters for backward compatibility left out).
const ITEMS_IN = ['Key', 'Item', 'ExclusiveStartKey', 'ExpressionAttributeValues']
const ITEMS_OUT = ['Item', 'Items', 'Attributes', 'LastEvaluatedKey']

type Item = Parameters<typeof unmarshall>[0]

const translate = (values: Values, names: string[], each: (item: Item) => unknown): Values => {
  const translated = names.filter((name) => values[name] !== undefined).map((name) => [name, all(values[name], each)])
  return { ...values, ...Object.fromEntries(translated) }
}

// The SDK's types are those of its real commands, which have checked what a function gives.
const all = (items: unknown, each: (item: Item) => unknown) =>
  Array.isArray(items) ? items.map((item) => each(item)) : each(items as Item)

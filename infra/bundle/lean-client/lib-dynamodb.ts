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
    const other = Object.keys(input).find((name) => !INPUT_ITEMS.includes(name) && !PARAMETERS.includes(name))
    if (other) throw notSupported(`the parameter ${other}`)
    const marshalled = translate(input, INPUT_ITEMS, (item) => marshallEach(item, marshallOptions))
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

// The other parameters of these commands, except the legacy ones, and `ReturnItemCollectionMetrics`, which adds an item.
const PARAMETERS = [
  ...['TableName', 'IndexName', 'Select', 'Limit', 'ConsistentRead', 'ScanIndexForward', 'ReturnConsumedCapacity'],
  ...['KeyConditionExpression', 'FilterExpression', 'ProjectionExpression', 'UpdateExpression', 'ConditionExpression'],
  ...['ExpressionAttributeNames', 'ReturnValues', 'ReturnValuesOnConditionCheckFailure'],
]

type Item = Parameters<typeof unmarshall>[0]

// Casts, because the types that check what a function sends are those of the replaced package.
const translate = (values: object, names: string[], each: (item: Item) => unknown): Values => {
  const translated = Object.entries(values).map(([name, value]) => {
    if (!names.includes(name) || value === undefined) return [name, value]
    return [name, Array.isArray(value) ? value.map((item: Item) => each(item)) : each(value as Item)]
  })
  return Object.fromEntries(translated)
}

// The SDK marshalls the values of an item one by one, so an item may be an instance of any class.
const marshallEach = (item: object, options?: marshallOptions): Values => {
  const values = Object.entries(item).filter(([, value]) => value !== undefined && typeof value !== 'function')
  return Object.fromEntries(
    values.map(([name, value]) => [name, marshall(value, { convertTopLevelContainer: true, ...options })]),
  )
}

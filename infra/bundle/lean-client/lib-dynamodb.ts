// Replaces `@aws-sdk/lib-dynamodb` in the bundle (../aliases.ts), because that package loads all of the SDK's commands. The
// bundling fails if a function imports another command, and the setting `stockClient` of a stage bundles the packages.
import { convertToAttr, convertToNative, type marshallOptions, type unmarshallOptions } from '@aws-sdk/util-dynamodb'
import type { DynamoDBClient, Options } from './client-dynamodb.ts'
import { notSupported } from './environment.ts'

type Values = Record<string, unknown>
type Command = { operation: string; input: Values }
type Translation = { marshallOptions?: marshallOptions; unmarshallOptions?: unmarshallOptions }

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
    const other = Object.keys(input).find((name) => UNSUPPORTED.includes(name))
    if (other) throw notSupported(`the parameter ${other}`)
    const marshalled = translate(input, INPUT_ITEMS, (value) => convertToAttr(value as Native, marshallOptions))
    const output = await this.#client.send(operation, marshalled, options)
    return translate(output, OUTPUT_ITEMS, (value) => convertToNative(value as Attribute, unmarshallOptions))
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

// Add a command here when an operation needs it.
export const GetCommand = command('GetItem')
export const PutCommand = command('PutItem')
export const UpdateCommand = command('UpdateItem')
export const DeleteCommand = command('DeleteItem')
export const QueryCommand = command('Query')

// The fields that hold items or parts of them (DynamoDB API reference).
const INPUT_ITEMS = ['Key', 'Item', 'ExclusiveStartKey', 'ExpressionAttributeValues']
const OUTPUT_ITEMS = ['Item', 'Items', 'Attributes', 'LastEvaluatedKey']

// Parameters that add items to other parts of a response. (DynamoDB refuses the values of the legacy parameters.)
const UNSUPPORTED = ['ReturnItemCollectionMetrics', 'ReturnValuesOnConditionCheckFailure']

// The casts to them lose nothing: the types that check what a function sends are those of the replaced package.
type Native = Parameters<typeof convertToAttr>[0]
type Attribute = Parameters<typeof convertToNative>[0]

const translate = (values: Values, names: string[], convert: (value: unknown) => unknown): Values => {
  const translated = { ...values }
  for (const name of names) {
    const value = values[name]
    if (Array.isArray(value)) translated[name] = value.map((item) => eachAttribute(item, convert))
    else if (value !== undefined) translated[name] = eachAttribute(Object(value), convert)
  }
  return translated
}

/** Converts the attributes of an item one by one, as the SDK does: it would refuse a map with the key `constructor`. */
const eachAttribute = (item: Values, convert: (value: unknown) => unknown): Values => {
  const converted: Values = {}
  for (const [name, value] of Object.entries(item)) {
    if (name === '__proto__') throw notSupported('an attribute __proto__')
    if (value !== undefined) converted[name] = convert(value)
  }
  return converted
}

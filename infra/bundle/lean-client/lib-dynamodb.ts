// Replaces `@aws-sdk/lib-dynamodb` in the bundle (../aliases.ts), because that package loads all of
// the SDK's commands. If a function imports another command, the bundling fails. `stockClient` in
// infra/stages.ts bundles the packages instead.
import { randomUUID } from 'node:crypto'
import {
  convertToAttr,
  convertToNative,
  type marshallOptions,
  type unmarshallOptions,
} from '@aws-sdk/util-dynamodb'
import type { DynamoDBClient, SendOptions } from './client-dynamodb.ts'
import { notSupported } from './environment.ts'

type Values = Record<string, unknown>
type Command = { operation: string; input: Values }
type Translation = { marshallOptions?: marshallOptions; unmarshallOptions?: unmarshallOptions }

export const DynamoDBDocumentClient = {
  from: (client: DynamoDBClient, { marshallOptions, unmarshallOptions }: Translation) => ({
    async send({ operation, input }: Command, options: SendOptions): Promise<Values> {
      const marshalled = translate(input, (value) =>
        convertToAttr(value as Native, marshallOptions),
      )
      // All resends have one token, so that DynamoDB applies the transaction once.
      if (operation === 'TransactWriteItems') marshalled.ClientRequestToken ??= randomUUID()
      const output = await client.send(operation, marshalled, options)
      return translate(output, (value) => convertToNative(value as Attribute, unmarshallOptions))
    },
  }),
}

const commandClass = (operation: string) =>
  class {
    readonly operation = operation
    readonly input: Values
    constructor(input: Values) {
      this.input = input
    }
  }

// Add a command here when an operation needs it.
export const GetCommand = commandClass('GetItem')
export const PutCommand = commandClass('PutItem')
export const QueryCommand = commandClass('Query')
export const TransactGetCommand = commandClass('TransactGetItems')
export const TransactWriteCommand = commandClass('TransactWriteItems')

// The fields that hold items or parts of them, and those that hold such fields (DynamoDB API
// reference). No name means something else in another command above, or in its output.
const ITEMS =
  'Key Item Items Attributes ExclusiveStartKey LastEvaluatedKey ExpressionAttributeValues'.split(
    ' ',
  )
const CONTAINERS = 'TransactItems Responses Get Put Update Delete ConditionCheck'.split(' ')

// They add items to other parts of a response. (DynamoDB refuses the values of the legacy ones.)
const UNSUPPORTED = ['ReturnItemCollectionMetrics', 'ReturnValuesOnConditionCheckFailure']

// The casts to them lose nothing: the types that check what a function sends are those of the
// replaced package.
type Native = Parameters<typeof convertToAttr>[0]
type Attribute = Parameters<typeof convertToNative>[0]
type Convert = (value: unknown) => unknown

const translate = (values: object, convert: Convert): Values => {
  const translated: Values = {}
  for (const [name, value] of Object.entries(values)) {
    if (UNSUPPORTED.includes(name)) throw notSupported(`the parameter ${name}`)
    if (value === undefined || value === null) continue // To the SDK, null is no value.
    if (ITEMS.includes(name)) translated[name] = each(value, (item) => translateItem(item, convert))
    else if (CONTAINERS.includes(name))
      translated[name] = each(value, (part) => translate(part, convert))
    else translated[name] = value
  }
  return translated
}

const each = (value: object, change: (each: object) => Values) =>
  Array.isArray(value) ? value.map(change) : change(value)

/**
 * Converts the attributes of an item one by one, as the SDK does: it would refuse a map with the
 * key `constructor`.
 */
const translateItem = (item: object, convert: Convert): Values => {
  const converted: Values = {}
  for (const [name, value] of Object.entries(item)) {
    if (name === '__proto__') throw notSupported('an attribute __proto__')
    if (value !== undefined) converted[name] = convert(value)
  }
  return converted
}

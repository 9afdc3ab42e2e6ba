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
type Command = { operation: string; input: Values; request: Fields; response: Fields }
type Translation = { marshallOptions?: marshallOptions; unmarshallOptions?: unmarshallOptions }

export const DynamoDBDocumentClient = {
  from: (client: DynamoDBClient, { marshallOptions, unmarshallOptions }: Translation) => ({
    async send({ operation, input, request, response }: Command, options: SendOptions) {
      // The casts lose nothing: the types of the replaced package check what a function sends.
      const sent = translate(input, request, (value) =>
        convertToAttr(value as Parameters<typeof convertToAttr>[0], marshallOptions),
      )
      // All resends have one token, so that DynamoDB applies the transaction once.
      if (operation === 'TransactWriteItems') sent.ClientRequestToken ??= randomUUID()
      const received = await client.send(operation, sent, options)
      return translate(received, response, (value) =>
        convertToNative(value as Parameters<typeof convertToNative>[0], unmarshallOptions),
      )
    },
  }),
}

/** The fields of a request or response that hold items, or that hold such fields. */
type Fields = { [name: string]: 'item' | Fields }

const commandClass = (operation: string, request: Fields, response: Fields) =>
  class {
    readonly operation = operation
    readonly request = request
    readonly response = response
    readonly input: Values
    constructor(input: Values) {
      this.input = input
    }
  }

// Add a command here when an operation needs it.

const write: Fields = { Key: 'item', Item: 'item', ExpressionAttributeValues: 'item' }

export const GetCommand = commandClass('GetItem', { Key: 'item' }, { Item: 'item' })

export const PutCommand = commandClass('PutItem', write, { Attributes: 'item' })

export const QueryCommand = commandClass(
  'Query',
  { ExclusiveStartKey: 'item', ExpressionAttributeValues: 'item' },
  { Items: 'item', LastEvaluatedKey: 'item' },
)

export const TransactGetCommand = commandClass(
  'TransactGetItems',
  { TransactItems: { Get: { Key: 'item' } } },
  { Responses: { Item: 'item' } },
)

export const TransactWriteCommand = commandClass(
  'TransactWriteItems',
  { TransactItems: { Put: write, Update: write, Delete: write, ConditionCheck: write } },
  {},
)

// They add items to other fields of a response.
const UNSUPPORTED = ['ReturnItemCollectionMetrics', 'ReturnValuesOnConditionCheckFailure']

type Convert = (value: unknown) => unknown

const translate = (values: object, fields: Fields, convert: Convert): Values => {
  const translated: Values = { ...values }
  for (const name of UNSUPPORTED)
    if (name in translated) throw notSupported(`the parameter ${name}`)
  for (const [name, inner] of Object.entries(fields)) {
    const value = translated[name] as object | undefined // The fields hold objects.
    const change = (each: object) =>
      inner === 'item' ? translateItem(each, convert) : translate(each, inner, convert)
    if (value) translated[name] = Array.isArray(value) ? value.map(change) : change(value)
  }
  return translated
}

/**
 * Converts the attributes of an item one by one, as the SDK does: it would refuse a map with the
 * key `constructor`.
 */
const translateItem = (item: object, convert: Convert): Values =>
  Object.fromEntries(
    Object.entries(item)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, convert(value)]),
  )

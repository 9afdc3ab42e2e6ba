// Replaces `@aws-sdk/lib-dynamodb` in a bundle (index.ts), because that package loads all of the
// SDK's commands. If a function imports another command, the bundling fails: add it here, or bundle
// the SDK's packages.
import { randomUUID } from 'node:crypto'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import {
  convertToAttr,
  convertToNative,
  type marshallOptions,
  type unmarshallOptions,
} from '@aws-sdk/util-dynamodb'
import type { DynamoDBClient, SendOptions } from './client-dynamodb.ts'
import { notSupported } from './environment.ts'

type Options = { marshallOptions?: marshallOptions; unmarshallOptions?: unmarshallOptions }

export const DynamoDBDocumentClient = {
  from: (client: DynamoDBClient, { marshallOptions, unmarshallOptions }: Options) => {
    const marshall = itemConverter((value) => convertToAttr(value, marshallOptions))
    const unmarshall = itemConverter((value) =>
      convertToNative(value as AttributeValue, unmarshallOptions),
    )
    return {
      async send({ action, input }: Command, options: SendOptions): Promise<Values> {
        const request = withItems(input, marshall)
        // All resends have one token, so that DynamoDB applies the transaction once.
        if (action === 'TransactWriteItems') request.ClientRequestToken ??= randomUUID()
        return withItems(await client.send(action, request, options), unmarshall)
      },
    }
  },
}

abstract class Command {
  abstract readonly action: string
  readonly input: Values
  // The types of the replaced package check what a function sends.
  constructor(input: object) {
    this.input = input
  }
}

export class GetCommand extends Command {
  readonly action = 'GetItem'
}
export class PutCommand extends Command {
  readonly action = 'PutItem'
}
export class QueryCommand extends Command {
  readonly action = 'Query'
}
export class TransactGetCommand extends Command {
  readonly action = 'TransactGetItems'
}
export class TransactWriteCommand extends Command {
  readonly action = 'TransactWriteItems'
}

type Item = Record<string, unknown>
type ConvertItem = (item: Item) => Item

/** The fields with an item, or a part of one, in a request, an action in one, or a response. */
const ITEM_FIELDS = [
  'Key',
  'Item',
  'Attributes',
  'ExpressionAttributeValues',
  'ExclusiveStartKey',
  'LastEvaluatedKey',
] as const

type Values = { [Field in (typeof ITEM_FIELDS)[number]]?: Item } & {
  Items?: Item[]
  Responses?: Values[]
  /** Each has one action, such as `{ Put: … }`. */
  TransactItems?: Record<string, Values>[]
  ClientRequestToken?: string
}

/** Converts the items. Each field means the same in all of the commands above. */
const withItems = (values: Values, convert: ConvertItem): Values => {
  refuseUnsupported(values)
  const { Items, Responses, TransactItems } = values
  const converted = { ...values }
  for (const field of ITEM_FIELDS) if (values[field]) converted[field] = convert(values[field])
  if (Items) converted.Items = Items.map(convert)
  if (Responses) converted.Responses = Responses.map((each) => withItems(each, convert))
  if (TransactItems)
    converted.TransactItems = TransactItems.map((actions) => {
      const pairs = Object.entries(actions)
      return Object.fromEntries(pairs.map(([name, each]) => [name, withItems(each, convert)]))
    })
  return converted
}

/** Throws an Error for parameters that add items to other fields of a response. */
const refuseUnsupported = (values: object): void => {
  for (const name of ['ReturnItemCollectionMetrics', 'ReturnValuesOnConditionCheckFailure'])
    if (name in values) throw notSupported(`the parameter ${name}`)
}

/**
 * Converts the attributes of an item one by one, as the SDK does: it would refuse a map with the
 * key `constructor`.
 */
const itemConverter =
  (convert: (value: unknown) => unknown): ConvertItem =>
  (item) => {
    const attributes = Object.entries(item).filter(([, value]) => value !== undefined)
    return Object.fromEntries(attributes.map(([name, value]) => [name, convert(value)]))
  }

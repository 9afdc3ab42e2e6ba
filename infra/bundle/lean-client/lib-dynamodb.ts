// Replaces `@aws-sdk/lib-dynamodb` in the bundle (../aliases.ts), because that package loads all of
// the SDK's commands. If a function imports another command, the bundling fails: add it here, or
// set `stockClient` in infra/stages.ts, which bundles the packages instead.
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
      async send({ action, input, request, response }: Command, options: SendOptions) {
        const output = await client.send(action, request(input, marshall), options)
        return response(output, unmarshall)
      },
    }
  },
}

type Item = Record<string, unknown>
type ConvertItem = (item?: Item) => Item | undefined

/** The fields that the translations read, of a request, a part of one, or a response. */
type Values = {
  Key?: Item
  Item?: Item
  Attributes?: Item
  ExpressionAttributeValues?: Item
  ExclusiveStartKey?: Item
  LastEvaluatedKey?: Item
  Items?: (Item | undefined)[]
  TransactItems?: Record<string, Values>[]
  Responses?: Values[]
  ClientRequestToken?: string
}

/** Translates a request or a response: converts its items. */
type Translate = (values: Values, convert: ConvertItem) => Values

type Command = { action: string; input: Values; request: Translate; response: Translate }

const command = (action: string, request: Translate, response: Translate) =>
  class implements Command {
    readonly action = action
    readonly request = request
    readonly response = response
    readonly input: Values
    // The types of the replaced package check what a function sends.
    constructor(input: object) {
      this.input = input
    }
  }

const writeRequest: Translate = (write, marshall) => {
  refuseUnsupported(write)
  return {
    ...write,
    Key: marshall(write.Key),
    Item: marshall(write.Item),
    ExpressionAttributeValues: marshall(write.ExpressionAttributeValues),
  }
}

/** Translates each of the writes: `Put`, `Update`, `Delete` or `ConditionCheck`. */
const transactionPart = (part: Record<string, Values>, marshall: ConvertItem) =>
  Object.fromEntries(
    Object.entries(part).map(([action, write]) => [action, writeRequest(write, marshall)]),
  )

export const GetCommand = command(
  'GetItem',
  (input, marshall) => ({ ...input, Key: marshall(input.Key) }),
  (output, unmarshall) => ({ ...output, Item: unmarshall(output.Item) }),
)

export const PutCommand = command('PutItem', writeRequest, (output, unmarshall) => ({
  ...output,
  Attributes: unmarshall(output.Attributes),
}))

export const QueryCommand = command(
  'Query',
  (input, marshall) => ({
    ...input,
    ExclusiveStartKey: marshall(input.ExclusiveStartKey),
    ExpressionAttributeValues: marshall(input.ExpressionAttributeValues),
  }),
  (output, unmarshall) => ({
    ...output,
    Items: output.Items?.map((item) => unmarshall(item)),
    LastEvaluatedKey: unmarshall(output.LastEvaluatedKey),
  }),
)

export const TransactGetCommand = command(
  'TransactGetItems',
  (input, marshall) => ({
    ...input,
    TransactItems: input.TransactItems?.map(({ Get }) => ({
      Get: { ...Get, Key: marshall(Get?.Key) },
    })),
  }),
  (output, unmarshall) => ({
    ...output,
    Responses: output.Responses?.map(({ Item }) => ({ Item: unmarshall(Item) })),
  }),
)

export const TransactWriteCommand = command(
  'TransactWriteItems',
  (input, marshall) => {
    refuseUnsupported(input)
    return {
      ...input,
      TransactItems: input.TransactItems?.map((part) => transactionPart(part, marshall)),
      // All resends have one token, so that DynamoDB applies the transaction once.
      ClientRequestToken: input.ClientRequestToken ?? randomUUID(),
    }
  },
  (output) => output,
)

/** Throws an Error for parameters that add items to other fields of a response. */
const refuseUnsupported = (input: object): void => {
  for (const name of ['ReturnItemCollectionMetrics', 'ReturnValuesOnConditionCheckFailure'])
    if (name in input) throw notSupported(`the parameter ${name}`)
}

/**
 * Converts the attributes of an item one by one, as the SDK does: it would refuse a map with the
 * key `constructor`.
 */
const itemConverter =
  (convert: (value: unknown) => unknown): ConvertItem =>
  (item) => {
    if (!item) return undefined
    const attributes = Object.entries(item).filter(([, value]) => value !== undefined)
    return Object.fromEntries(attributes.map(([name, value]) => [name, convert(value)]))
  }

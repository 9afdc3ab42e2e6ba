import type { Received } from './wire.ts'

/** For the class of that name: DynamoDB's answer when it does not do what it was asked to. */
export class DynamoDBServiceException extends Error {
  readonly $fault: 'client' | 'server'
  readonly $metadata: { httpStatusCode: number; requestId: string | undefined }

  constructor(name: string, message: string, { statusCode, headers }: Received) {
    super(message)
    this.name = name
    this.$fault = statusCode < 500 ? 'client' : 'server'
    this.$metadata = { httpStatusCode: statusCode, requestId: headers['x-amzn-requestid'] }
  }
}

/** For the class of that name. */
export class ConditionalCheckFailedException extends DynamoDBServiceException {}

/** The error that an answer spells: its name stands behind a `#` in `__type`. */
export const errorOf = (received: Received): DynamoDBServiceException => {
  const { __type = 'UnknownError', message, Message } = described(received.text)
  const name = __type.replace(/^.*#/, '')
  const Kind = name === 'ConditionalCheckFailedException' ? ConditionalCheckFailedException : DynamoDBServiceException
  return new Kind(name, message ?? Message ?? '', received)
}

/** What an error says of itself; nothing, where something between here and DynamoDB has answered in HTML. */
const described = (text: string): { __type?: string; message?: string; Message?: string } => {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

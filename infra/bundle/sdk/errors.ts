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

/** The error that an answer spells (its name stands behind a `#` in `__type`), or that says that it is not DynamoDB's. */
export const errorOf = (received: Received): Error => {
  const { __type, message, Message } = described(received.text)
  const error =
    typeof __type === 'string' ? ofDynamoDB(__type, message ?? Message ?? '', received) : ofAnother(received)
  // Retries read there how long to pause. Not enumerable: a log need not have all of it.
  return Object.defineProperty(error, '$response', { value: received })
}

const ofDynamoDB = (type: string, message: string, received: Received): Error => {
  const name = type.replace(/^.*#/, '')
  const Kind = name === 'ConditionalCheckFailedException' ? ConditionalCheckFailedException : DynamoDBServiceException
  return new Kind(name, message, received)
}

/** Something on the way to DynamoDB has answered, such as a proxy in HTML: whatever its status, that is no mistake of ours. */
const ofAnother = ({ statusCode, text }: Received): Error =>
  Object.assign(new Error(`Something other than DynamoDB answered ${statusCode}: ${text.slice(0, 100)}`), {
    $metadata: { httpStatusCode: statusCode },
  })

const described = (text: string): { __type?: unknown; message?: string; Message?: string } => {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

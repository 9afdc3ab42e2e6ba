import { type IResource, MockIntegration, PassthroughBehavior } from 'aws-cdk-lib/aws-apigateway'
import { commonHeaders } from '../shared/response.ts'

type Headers = Readonly<Record<string, string>>

/** An answer that API Gateway gives without a function. */
export type MockAnswer = { status: number; headers: Headers; body?: string }

/** Makes API Gateway give an answer by itself. Nothing is filled in: `body` is a template, but one without `$` and `#`. */
export const mockAnswer = (resource: IResource, method: string, { status, headers, body }: MockAnswer): void => {
  const statusCode = String(status)
  const named = Object.entries(asWritten(headers)).map(([name, value]) => [`method.response.header.${name}`, value])
  const integration = new MockIntegration({
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: Object.fromEntries(BODY_TYPES.map((type) => [type, `{"statusCode": ${statusCode}}`])),
    integrationResponses: [
      {
        statusCode,
        responseParameters: Object.fromEntries(named),
        // The only template is taken, whatever type the answer has and the client accepts.
        ...(body && { responseTemplates: { 'application/json': body } }),
      },
    ],
  })
  const responseParameters = Object.fromEntries(named.map(([name]) => [name, true]))
  resource.addMethod(method, integration, { methodResponses: [{ statusCode, responseParameters }] })
}

// A MOCK integration has one template a type of request body. Any type without one is answered 415.
const BODY_TYPES = [
  'application/json',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'application/xml',
  'multipart/form-data',
  'text/html',
  'text/plain',
  'text/xml',
]

/** Headers as API Gateway writes them: a fixed value stands in quotes. */
export const asWritten = (headers: Headers): Record<string, string> => {
  const fixed = Object.entries({ ...commonHeaders(''), ...headers }).map(([name, value]) => [name, `'${value}'`])
  return { ...Object.fromEntries(fixed), 'X-Request-Id': 'context.extendedRequestId' }
}

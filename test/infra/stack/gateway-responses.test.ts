import { describe, expect, test } from 'vitest'
import { both, methodsOf, onlyId, propertiesOf } from './template.ts'

const EXPOSED =
  'Link, Location, X-Request-Id, Retry-After, Deprecation, Sunset, Idempotent-Replayed, WWW-Authenticate, ' +
  'x-amzn-Remapped-WWW-Authenticate'

const COMMON = {
  'Access-Control-Allow-Origin': "'*'",
  'Access-Control-Expose-Headers': `'${EXPOSED}'`,
  'Cache-Control': "'no-store'",
  'Content-Type': "'application/json'",
  'X-Request-Id': 'context.extendedRequestId',
}

const retry = { 'Retry-After': "'1'" }
const challenge = { 'WWW-Authenticate': `'Bearer realm="pet-store"'` }

const named = (prefix: string, headers: object) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [`${prefix}.header.${name}`, value]))

/** A body of API Gateway's own making: nothing in it is filled in, since that might be what the caller sent. */
const fixedBody = (text: string) => {
  expect(text).not.toMatch(/[$#]/)
  return JSON.parse(text)
}

describe.each(both)('at the edge of $name', ({ template }) => {
  test.each([
    ['ACCESS_DENIED', 403, 'forbidden', {}],
    ['API_CONFIGURATION_ERROR', 502, 'bad_gateway', {}],
    ['AUTHORIZER_CONFIGURATION_ERROR', 500, 'internal_server_error', {}],
    ['AUTHORIZER_FAILURE', 500, 'internal_server_error', {}],
    ['BAD_REQUEST_BODY', 400, 'bad_request', {}],
    ['BAD_REQUEST_PARAMETERS', 400, 'bad_request', {}],
    ['DEFAULT_4XX', 400, 'bad_request', {}],
    ['DEFAULT_5XX', 502, 'bad_gateway', {}],
    ['EXPIRED_TOKEN', 403, 'forbidden', {}],
    ['INTEGRATION_FAILURE', 502, 'bad_gateway', {}],
    ['INTEGRATION_TIMEOUT', 504, 'gateway_timeout', retry],
    ['INVALID_API_KEY', 403, 'forbidden', {}],
    ['INVALID_SIGNATURE', 403, 'forbidden', {}],
    ['MISSING_AUTHENTICATION_TOKEN', 404, 'not_found', {}],
    ['QUOTA_EXCEEDED', 429, 'too_many_requests', retry],
    ['REQUEST_TOO_LARGE', 413, 'payload_too_large', {}],
    ['RESOURCE_NOT_FOUND', 404, 'not_found', {}],
    ['THROTTLED', 429, 'too_many_requests', retry],
    ['UNAUTHORIZED', 401, 'unauthorized', challenge],
    ['UNSUPPORTED_MEDIA_TYPE', 415, 'unsupported_media_type', {}],
    ['WAF_FILTERED', 403, 'forbidden', {}],
  ])('API Gateway answers %s with %d and the Error body', (ResponseType, status, code, more) => {
    const answers = propertiesOf(template, 'AWS::ApiGateway::GatewayResponse')
    const answer = answers.find((each) => each.ResponseType === ResponseType)

    expect(answers).toHaveLength(21)
    expect(answer).toEqual({
      RestApiId: { Ref: onlyId(template, 'AWS::ApiGateway::RestApi') },
      ResponseType,
      StatusCode: `${status}`,
      ResponseParameters: named('gatewayresponse', { ...COMMON, ...more }),
      ResponseTemplates: { 'application/json': expect.any(String) },
    })
    const body = fixedBody(answer.ResponseTemplates['application/json'])
    expect(body).toEqual({ code, message: expect.stringMatching(/^[A-Z].*\S$/), status })
  })

  test.each([
    ['ANY /', 404, 'not_found', {}],
    ['ANY /{proxy+}', 404, 'not_found', {}],
    ['ANY /docs', 404, 'not_found', {}],
    ['ANY /openapi.json', 404, 'not_found', {}],
    ['ANY /pets', 405, 'method_not_allowed', { Allow: "'GET, POST, OPTIONS'" }],
    ['ANY /pets/{petId}', 405, 'method_not_allowed', { Allow: "'GET, OPTIONS'" }],
  ])('%s is answered %d without a function, with a key or without', (route, status, code, more) => {
    const { Integration, ...method } = methodsOf(template).find((each) => each.route === route)?.properties ?? {}
    const { IntegrationResponses, RequestTemplates, ...integration } = Integration

    expect(method).toMatchObject({ AuthorizationType: 'NONE', HttpMethod: 'ANY' })
    expect(integration).toEqual({ Type: 'MOCK', PassthroughBehavior: 'NEVER' })
    expect(new Set(Object.values(RequestTemplates))).toEqual(new Set([`{"statusCode": ${status}}`]))
    expect(IntegrationResponses).toEqual([
      {
        StatusCode: `${status}`,
        ResponseParameters: named('method.response', { ...COMMON, ...more }),
        ResponseTemplates: { 'application/json': expect.any(String) },
      },
    ])
    // A header that the method does not declare is not sent.
    const declared = Object.keys(named('method.response', { ...COMMON, ...more })).map((name) => [name, true])
    expect(method.MethodResponses).toEqual([
      { StatusCode: `${status}`, ResponseParameters: Object.fromEntries(declared) },
    ])
    const body = fixedBody(IntegrationResponses[0].ResponseTemplates['application/json'])
    expect(body).toEqual({ code, message: expect.stringMatching(/^[A-Z].*\S$/), status })
  })
})

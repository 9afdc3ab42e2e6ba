import { describe, expect, test } from 'vitest'
import { referenceScript } from '../../../infra/openapi/docs-page.ts'
import { publicDocuments } from '../../../infra/openapi/public-documents.ts'
import { aliasOf, both, methodsOf, only, onlyId, propertiesOf } from './template.ts'

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

const TEXT_TYPES = ['html', 'plain', 'xml'].map((type) => `text/${type}`)
const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data']
const CONTENT_TYPES = [...TEXT_TYPES, ...FORM_TYPES, 'application/json', 'application/octet-stream', 'application/xml']

const prefixed = (prefix: string, headers: object) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [`${prefix}.header.${name}`, value]))

/** A method that needs no API key and responds without a function, whatever the content type of the request. */
const mockMethod = (HttpMethod: string, status: number, headers: object, body?: unknown) => {
  const ResponseParameters = prefixed('method.response', { ...COMMON, ...headers })
  // A header that the method does not declare is not sent.
  const declared = Object.fromEntries(Object.keys(ResponseParameters).map((name) => [name, true]))
  return {
    HttpMethod,
    AuthorizationType: 'NONE',
    ResourceId: expect.anything(),
    RestApiId: expect.anything(),
    Integration: {
      Type: 'MOCK',
      PassthroughBehavior: 'NEVER',
      RequestTemplates: Object.fromEntries(CONTENT_TYPES.map((type) => [type, `{"statusCode": ${status}}`])),
      IntegrationResponses: [
        {
          StatusCode: `${status}`,
          ResponseParameters,
          ...(body !== undefined && { ResponseTemplates: { 'application/json': body } }),
        },
      ],
    },
    MethodResponses: [{ StatusCode: `${status}`, ResponseParameters: declared }],
  }
}

const expectErrorBody = (text: string, status: number, code: string): void => {
  // `$` and `#` would let API Gateway insert parts of the request.
  expect(text).not.toMatch(/[$#]/)
  expect(JSON.parse(text)).toEqual({ code, message: expect.stringMatching(/^[A-Z].*\S$/), status })
}

const script = referenceScript()
const documents = Object.entries(publicDocuments({ address: script.publicAddress, integrity: script.integrity }))

describe.each(both())('the API of $stage', ({ stackName, template }) => {
  const methods = methodsOf(template)
  const api = { Ref: onlyId(template, 'AWS::ApiGateway::RestApi') }

  test('is regional, requires TLS 1.2 or newer, and compresses responses of 1 KiB or more', () => {
    expect(only(template, 'AWS::ApiGateway::RestApi')).toEqual({
      Name: stackName,
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PQ_2025_09',
      EndpointAccessMode: 'STRICT',
      MinimumCompressionSize: 1024,
      DisableExecuteApiEndpoint: false,
    })
  })

  test.each([
    ['listPets', 'GET', '/pets', '/GET/pets'],
    ['createPet', 'POST', '/pets', '/POST/pets'],
    ['getPet', 'GET', '/pets/{petId}', '/GET/pets/*'],
  ])('invokes the live version of %s, and no other method may', (operation, method, path, source) => {
    const alias = { Ref: aliasOf(template, operation) }
    const permissions = propertiesOf(template, 'AWS::Lambda::Permission').filter(
      ({ FunctionName }) => FunctionName.Ref === alias.Ref,
    )

    expect(methods[`${method} ${path}`]).toMatchObject({
      OperationName: operation,
      AuthorizationType: 'NONE',
      Integration: { Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST' },
    })
    expect(permissions).toEqual([
      {
        Action: 'lambda:InvokeFunction',
        FunctionName: alias,
        Principal: 'apigateway.amazonaws.com',
        SourceArn: { 'Fn::Join': ['', expect.arrayContaining([api, source])] },
      },
    ])
  })

  test.each([
    ['/pets', 'GET,POST,OPTIONS'],
    ['/pets/{petId}', 'GET,OPTIONS'],
    ['/docs', 'GET,OPTIONS'],
    ['/openapi.json', 'GET,OPTIONS'],
  ])('allows web pages of any origin to call %s with %s', (path, allowed) => {
    const headers = {
      'Access-Control-Allow-Headers': "'Authorization,Content-Type,Idempotency-Key'",
      'Access-Control-Allow-Methods': `'${allowed}'`,
      'Access-Control-Max-Age': "'7200'",
    }

    expect(methods[`OPTIONS ${path}`]).toEqual(mockMethod('OPTIONS', 204, headers))
  })

  test.each([
    ['/', 404, 'not_found', {}],
    ['/{proxy+}', 404, 'not_found', {}],
    ['/docs', 404, 'not_found', {}],
    ['/openapi.json', 404, 'not_found', {}],
    ['/pets', 405, 'method_not_allowed', { Allow: "'GET, POST, OPTIONS'" }],
    ['/pets/{petId}', 405, 'method_not_allowed', { Allow: "'GET, OPTIONS'" }],
  ])('returns an error for other methods of %s: %d', (path, status, code, headers) => {
    const method = methods[`ANY ${path}`]

    expect(method).toEqual(mockMethod('ANY', status, headers, expect.any(String)))
    expectErrorBody(method.Integration.IntegrationResponses[0].ResponseTemplates['application/json'], status, code)
  })

  test.each(documents)('serves %s without a key and without a function', (path, { headers, body }) => {
    const quoted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]))

    expect(methods[`GET ${path}`]).toEqual(mockMethod('GET', 200, quoted, body))
  })

  test.each([
    [400, 'bad_request', {}, ['BAD_REQUEST_BODY', 'BAD_REQUEST_PARAMETERS', 'DEFAULT_4XX']],
    [401, 'unauthorized', { 'WWW-Authenticate': `'Bearer realm="pet-store"'` }, ['UNAUTHORIZED']],
    [403, 'forbidden', {}, ['ACCESS_DENIED', 'EXPIRED_TOKEN', 'INVALID_API_KEY', 'INVALID_SIGNATURE', 'WAF_FILTERED']],
    [404, 'not_found', {}, ['MISSING_AUTHENTICATION_TOKEN', 'RESOURCE_NOT_FOUND']],
    [413, 'payload_too_large', {}, ['REQUEST_TOO_LARGE']],
    [415, 'unsupported_media_type', {}, ['UNSUPPORTED_MEDIA_TYPE']],
    [429, 'too_many_requests', { 'Retry-After': "'1'" }, ['QUOTA_EXCEEDED', 'THROTTLED']],
    [500, 'internal_server_error', {}, ['AUTHORIZER_CONFIGURATION_ERROR', 'AUTHORIZER_FAILURE']],
    [502, 'bad_gateway', {}, ['API_CONFIGURATION_ERROR', 'DEFAULT_5XX', 'INTEGRATION_FAILURE']],
    [504, 'gateway_timeout', { 'Retry-After': "'1'" }, ['INTEGRATION_TIMEOUT']],
  ])('returns %d with the Error body for these gateway responses', (status, code, headers, types) => {
    const responses = propertiesOf(template, 'AWS::ApiGateway::GatewayResponse')
    const found = responses.filter(({ StatusCode }) => StatusCode === `${status}`)

    expect(found.map(({ ResponseType }) => ResponseType).sort()).toEqual(types)
    for (const response of found) {
      expect(response).toEqual({
        RestApiId: api,
        ResponseType: expect.any(String),
        StatusCode: `${status}`,
        ResponseParameters: prefixed('gatewayresponse', { ...COMMON, ...headers }),
        ResponseTemplates: { 'application/json': expect.any(String) },
      })
      expectErrorBody(response.ResponseTemplates['application/json'], status, code)
    }
    expect(responses).toHaveLength(21)
  })
})

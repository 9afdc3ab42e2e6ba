import { expect, test } from 'vitest'
import { gatewayResponses, gatewayResponseTypes, preflightHeaders } from '../../../infra/gateway.ts'
import { publicDocuments } from '../../../infra/openapi/public-documents.ts'
import { stackName, stages } from '../../../infra/stages.ts'
import { contract, operationIds } from '../../../shared/contract.ts'
import { commonHeaders } from '../../../shared/pipeline/http.ts'
import { service } from '../../../shared/service.ts'
import {
  everyOption,
  methodsOf,
  only,
  onlyId,
  partsOf,
  propertiesOf,
  resource,
  templateOf,
} from './template.ts'

/** Each path of the contract, and the methods that it allows. */
const routes = [...Map.groupBy(Object.values(contract), ({ path }) => path)].map(
  ([path, entries]): [string, string[]] => [
    path,
    [...entries.map(({ method }) => method), 'OPTIONS'],
  ],
)

/** Headers as API Gateway maps them: fixed values in quotes. */
const headersOf = (headers: object, hasBody: boolean) => ({
  ...Object.fromEntries(
    Object.entries({ ...commonHeaders('', hasBody), ...headers }).map(([name, value]) => [
      name,
      `'${value}'`,
    ]),
  ),
  'X-Request-Id': 'context.extendedRequestId',
})

const prefixed = (prefix: string, headers: object) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [`${prefix}.header.${name}`, value]),
  )

const CONTENT_TYPES = ['application/json', 'application/merge-patch+json', 'text/plain']

type Response = { status: number; headers: object; body?: unknown }

/**
 * A method that needs no API key and responds without a function, whatever the content type of the
 * request.
 */
const mockMethod = (HttpMethod: string | undefined, { status, headers, body }: Response) => {
  const StatusCode = `${status}`
  const ResponseParameters = prefixed('method.response', headersOf(headers, body !== undefined))
  // A header that the method does not declare is not sent.
  const declared = Object.fromEntries(Object.keys(ResponseParameters).map((name) => [name, true]))
  const ResponseTemplates = {
    'application/json': typeof body === 'string' ? body : JSON.stringify(body),
  }
  return {
    HttpMethod,
    AuthorizationType: 'NONE',
    ResourceId: expect.anything(),
    RestApiId: expect.anything(),
    Integration: {
      Type: 'MOCK',
      PassthroughBehavior: 'NEVER',
      RequestTemplates: expect.objectContaining(
        Object.fromEntries(CONTENT_TYPES.map((type) => [type, `{"statusCode": ${status}}`])),
      ),
      IntegrationResponses: [
        { StatusCode, ResponseParameters, ...(body !== undefined && { ResponseTemplates }) },
      ],
    },
    MethodResponses: [{ StatusCode, ResponseParameters: declared }],
  }
}

const { notFound, methodNotAllowed } = gatewayResponses
const preflight = (allowed: string[]): Response => ({
  status: 204,
  headers: preflightHeaders(allowed),
})
const documents = publicDocuments()

/** Each method that responds without a function. */
const MOCKS: [route: string, Response][] = [
  ['ANY /', notFound],
  ['ANY /{proxy+}', notFound],
  ...routes.flatMap(([path, allowed]): [string, Response][] => [
    [`OPTIONS ${path}`, preflight(allowed)],
    [`ANY ${path}`, methodNotAllowed(allowed)],
  ]),
  ...Object.entries(documents).flatMap(([path, document]): [string, Response][] => [
    [`GET ${path}`, { status: 200, ...document }],
    [`OPTIONS ${path}`, preflight(['GET', 'OPTIONS'])],
    [`ANY ${path}`, methodNotAllowed(['GET', 'OPTIONS'])],
  ]),
]

const TLS = { SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PQ_2025_09', EndpointAccessMode: 'STRICT' }

const template = templateOf('production')
const methods = methodsOf(template)
const api = { Ref: onlyId(template, 'AWS::ApiGateway::RestApi') }

test.each(Object.values(stages))(
  '$name has an API of its name with only the stage of the base path, and its throttle',
  (stage) => {
    const template = templateOf(stage.name)
    const { StageName, MethodSettings } = only(template, 'AWS::ApiGateway::Stage')
    const { rate, burst } = stage.throttle
    // Tracing would log whole requests, API keys included.
    const settings = {
      DataTraceEnabled: false,
      ThrottlingRateLimit: rate,
      ThrottlingBurstLimit: burst,
    }

    expect(only(template, 'AWS::ApiGateway::RestApi').Name).toBe(stackName(stage))
    expect(`/${StageName}`).toBe(service.basePath)
    expect(MethodSettings).toEqual([{ HttpMethod: '*', ResourcePath: '/*', ...settings }])
  },
)

test('the API is regional, requires TLS 1.2 or newer, and compresses responses of 1 KiB or more', () => {
  expect(only(template, 'AWS::ApiGateway::RestApi')).toMatchObject({
    EndpointConfiguration: { Types: ['REGIONAL'] },
    ...TLS,
    MinimumCompressionSize: 1024,
    DisableExecuteApiEndpoint: false,
  })
})

test.each(operationIds)(
  'the API invokes the live version of %s, and no other method may',
  (operation) => {
    const { method, path } = contract[operation]
    const source = `/${method}${path.replaceAll(/{\w+}/g, '*')}`
    const alias = { Ref: partsOf(template, operation).aliasId }
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
  },
)

test.each(MOCKS)(
  'the API responds to %s without a function, to web pages of any origin too',
  (route, response) => {
    expect(methods[route]).toEqual(mockMethod(route.split(' ')[0], response))
  },
)

test.each(Object.entries(gatewayResponseTypes))(
  'the API has an Error body for the gateway response %s',
  (ResponseType, { status, headers, body }) => {
    const responses = propertiesOf(template, 'AWS::ApiGateway::GatewayResponse')

    expect(responses).toContainEqual({
      RestApiId: api,
      ResponseType,
      StatusCode: `${status}`,
      ResponseParameters: prefixed('gatewayresponse', headersOf(headers, true)),
      ResponseTemplates: { 'application/json': JSON.stringify(body) },
    })
    // They would let API Gateway insert parts of the request.
    expect(JSON.stringify(body)).not.toMatch(/[$#]/)
  },
)

test('the API logs one line of JSON for each request, without anything that may contain an API key', () => {
  const { requestId, ...fields } = JSON.parse(
    only(template, 'AWS::ApiGateway::Stage').AccessLogSetting.Format,
  )

  expect(requestId).toBe('$context.extendedRequestId')
  for (const field of Object.values(fields))
    expect(field).toMatch(
      /^\$context\.(?!path|authorizer|identity\.(?!sourceIp)|\w*[Rr]equestOverride)[\w.]+$/,
    )
})

test('the role that writes the logs of all APIs is kept when the stack is deleted', () => {
  const account = resource(template, onlyId(template, 'AWS::ApiGateway::Account'))
  const role = resource(template, account.Properties.CloudWatchRoleArn['Fn::GetAtt'][0])

  expect([account.DeletionPolicy, role.DeletionPolicy]).toEqual(['Retain', 'Retain'])
})

const { certificateArn, domainName } = everyOption

test('a stage that allows only its domain has no other address', () => {
  const template = templateOf('production', everyOption)
  const { Outputs } = template.toJSON()

  expect(only(template, 'AWS::ApiGateway::RestApi').DisableExecuteApiEndpoint).toBe(true)
  expect(only(template, 'AWS::ApiGateway::DomainName')).toMatchObject({
    DomainName: domainName,
    RegionalCertificateArn: certificateArn,
    ...TLS,
  })
  expect(`/${only(template, 'AWS::ApiGateway::BasePathMapping').BasePath}`).toBe(service.basePath)
  expect(only(template, 'AWS::Route53::RecordSet').Name).toBe('api.example.com.')
  expect(Outputs.BaseUrl).toEqual({ Value: `https://api.example.com${service.basePath}` })
  expect(Outputs).not.toHaveProperty('DomainTarget')
})

test('a new domain leaves the default address as it is, and has its target as an output, for a DNS record by hand', () => {
  const template = templateOf('production', { domainName, certificateArn })
  const domainId = onlyId(template, 'AWS::ApiGateway::DomainName')
  const { Outputs } = template.toJSON()

  expect(only(template, 'AWS::ApiGateway::RestApi').DisableExecuteApiEndpoint).toBe(false)
  const host = [api, '.execute-api.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }]
  expect(Outputs.BaseUrl).toEqual({
    Value: { 'Fn::Join': ['', ['https://', ...host, service.basePath]] },
  })
  expect(Outputs.DomainTarget).toEqual({
    Value: { 'Fn::GetAtt': [domainId, 'RegionalDomainName'] },
  })
  template.resourceCountIs('AWS::Route53::RecordSet', 0)
})

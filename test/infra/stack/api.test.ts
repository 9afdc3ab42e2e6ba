import { expect, test } from 'vitest'
import { openApiText } from '../../../infra/openapi/document.ts'
import { publicDocuments } from '../../../infra/openapi/reference.ts'
import {
  gatewayResponses,
  gatewayResponseTypes,
  preflightHeaders,
} from '../../../infra/platform/gateway.ts'
import { stackName, stages } from '../../../infra/stages.ts'
import { contract, operationIds } from '../../../shared/contract.ts'
import { commonHeaders, httpsHeaders } from '../../../shared/pipeline/gateway-event.ts'
import { service } from '../../../shared/service.ts'
import {
  documentOf,
  everyOption,
  joined,
  only,
  onlyId,
  partsOf,
  propertiesOf,
  resource,
  templateOf,
} from './template.ts'

const template = templateOf('production')
const api = { Ref: onlyId(template, 'AWS::ApiGateway::RestApi') }
/** The default base address, as `joined` makes it. */
const DEFAULT_URL = `https://${api.Ref}.execute-api.eu-central-1.amazonaws.com${service.basePath}`

const pathOf = (resourceId: string | undefined): string => {
  if (resourceId === undefined) return ''
  const { ParentId, PathPart } = resource(template, resourceId).Properties
  return `${pathOf(ParentId.Ref)}/${PathPart}`
}
/** The properties of each method of the API, by route, such as `GET /`. */
const methods = Object.fromEntries(
  propertiesOf(template, 'AWS::ApiGateway::Method').map((properties) => [
    `${properties.HttpMethod} ${pathOf(properties.ResourceId.Ref) || '/'}`,
    properties,
  ]),
)

/** Headers as API Gateway maps them: fixed values in quotes. */
const mapped = (prefix: string, headers: object, hasBody = true) => {
  const sent = Object.entries({ ...commonHeaders('', hasBody), ...httpsHeaders, ...headers })
  const quoted = sent.map(([name, value]) => [`${prefix}.header.${name}`, `'${value}'`])
  return {
    ...Object.fromEntries(quoted),
    [`${prefix}.header.X-Request-Id`]: 'context.extendedRequestId',
  }
}

type Response = { status: number; headers: object; body?: unknown }

const textOf = (body: unknown): string | undefined =>
  typeof body === 'string' ? body : JSON.stringify(body)

const { notFound, methodNotAllowed } = gatewayResponses
const documents = Object.entries(publicDocuments([DEFAULT_URL]))

/** The methods that each path allows. */
const allowed = new Map(documents.map(([path]) => [path, ['GET', 'HEAD', 'OPTIONS']]))
for (const [path, entries] of Map.groupBy(Object.values(contract), ({ path }) => path))
  allowed.set(path, [...entries.map(({ method }) => method), 'OPTIONS'])

/** Each method that responds without a function. */
const mocks: [route: string, Response][] = [
  ['ANY /', notFound],
  ['ANY /{proxy+}', notFound],
  ['OPTIONS /', { status: 204, headers: preflightHeaders(['OPTIONS']) }],
  ['OPTIONS /{proxy+}', { status: 204, headers: preflightHeaders(['OPTIONS']) }],
]
for (const [path, document] of documents)
  for (const method of ['GET', 'HEAD'])
    mocks.push([`${method} ${path}`, { status: 200, ...document }])
for (const [path, methods] of allowed) {
  mocks.push([`OPTIONS ${path}`, { status: 204, headers: preflightHeaders(methods) }])
  mocks.push([`ANY ${path}`, methodNotAllowed(methods)])
}

const TLS = { SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PQ_2025_09', EndpointAccessMode: 'STRICT' }

test.each(Object.values(stages))(
  '$name has a regional API of its name with only the stage of the base path, and its throttle',
  ({ name, throttle }) => {
    const template = templateOf(name)
    const { StageName, MethodSettings } = only(template, 'AWS::ApiGateway::Stage')

    expect(only(template, 'AWS::ApiGateway::RestApi')).toMatchObject({
      Name: stackName({ name }),
      EndpointConfiguration: { Types: ['REGIONAL'] },
      ...TLS,
      MinimumCompressionSize: 1024,
    })
    expect(`/${StageName}`).toBe(service.basePath)
    // Tracing would log whole requests, API keys included.
    const settings = {
      DataTraceEnabled: false,
      ThrottlingRateLimit: throttle.rate,
      ThrottlingBurstLimit: throttle.burst,
    }
    expect(MethodSettings).toEqual([{ HttpMethod: '*', ResourcePath: '/*', ...settings }])
  },
)

test.each(operationIds)(
  'the API invokes the live version of %s, and no other method may',
  (operation) => {
    const { method, path } = contract[operation]
    const source = `/${method}${path.replaceAll(/{\w+}/g, '*')}`
    const alias = { Ref: partsOf(template, operation).aliasId }
    const permissions = template.findResources('AWS::Lambda::Permission', {
      Properties: { FunctionName: alias },
    })

    expect(methods[`${method} ${path}`]).toMatchObject({
      OperationName: operation,
      AuthorizationType: 'NONE',
      Integration: { Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST' },
    })
    const SourceArn = { 'Fn::Join': ['', expect.arrayContaining([api, source])] }
    expect(Object.values(permissions)).toMatchObject([
      { Properties: { Principal: 'apigateway.amazonaws.com', SourceArn } },
    ])
  },
)

test.each(mocks)(
  'the API responds to %s without a function or a key, whatever its content type',
  (route, { status, headers, body }) => {
    const { AuthorizationType, Integration, MethodResponses } = methods[route]
    const [response, ...surplus] = Integration.IntegrationResponses

    expect(Integration).toMatchObject({ Type: 'MOCK', PassthroughBehavior: 'NEVER' })
    for (const type of ['application/json', 'application/merge-patch+json', 'text/plain'])
      expect(Integration.RequestTemplates[type]).toBe(`{"statusCode": ${status}}`)
    const text = textOf(body)
    const { ResponseTemplates, ...rest } = response
    expect(rest).toEqual({
      StatusCode: `${status}`,
      ResponseParameters: mapped('method.response', headers, body !== undefined),
    })
    const [sent, ...others] = Object.entries<string>(ResponseTemplates ?? {})
    expect(sent?.[0]).toBe(text && 'application/json')
    expect(sent && joined(sent[1])).toBe(text)
    // A header that the method does not declare is not sent.
    expect(MethodResponses).toHaveLength(1)
    expect(Object.keys(MethodResponses[0].ResponseParameters)).toEqual(
      Object.keys(response.ResponseParameters),
    )
    expect([AuthorizationType, others, surplus]).toEqual(['NONE', [], []])
  },
)

test.each(Object.entries(gatewayResponseTypes))(
  'the API has an Error body for the gateway response %s',
  (ResponseType, { status, headers, body }) => {
    expect(propertiesOf(template, 'AWS::ApiGateway::GatewayResponse')).toContainEqual({
      RestApiId: api,
      ResponseType,
      StatusCode: `${status}`,
      ResponseParameters: mapped('gatewayresponse', headers),
      ResponseTemplates: { 'application/json': JSON.stringify(body) },
    })
  },
)

test('a firewall counts requests by address and by key, and blocks with a 429 that names a pause', () => {
  const template = templateOf('production', everyOption)
  const acl = onlyId(template, 'AWS::WAFv2::WebACL')
  const { Scope, DefaultAction, Rules, VisibilityConfig } = only(template, 'AWS::WAFv2::WebACL')
  const { WebACLArn, ResourceArn } = only(template, 'AWS::WAFv2::WebACLAssociation')
  const { perAddress, perKey } = everyOption.firewall
  const TextTransformations = [
    { Priority: 0, Type: 'COMPRESS_WHITE_SPACE' },
    { Priority: 1, Type: 'LOWERCASE' },
  ]
  const Header = { Name: 'Authorization', TextTransformations }
  const rates = [
    { Limit: perAddress, AggregateKeyType: 'IP' },
    { Limit: perKey, AggregateKeyType: 'CUSTOM_KEYS', CustomKeys: [{ Header }] },
  ]

  expect({ Scope, DefaultAction }).toEqual({ Scope: 'REGIONAL', DefaultAction: { Allow: {} } })
  expect(Rules).toMatchObject(
    rates.map((rate) => ({
      Action: { Block: {} },
      Statement: { RateBasedStatement: { ...rate, EvaluationWindowSec: 300 } },
    })),
  )
  // Samples would show API keys.
  for (const { SampledRequestsEnabled } of [
    VisibilityConfig,
    ...Rules.map((rule: { VisibilityConfig: object }) => rule.VisibilityConfig),
  ])
    expect(SampledRequestsEnabled).toBe(false)
  expect(WebACLArn).toEqual({ 'Fn::GetAtt': [acl, 'Arn'] })
  expect(JSON.stringify(ResourceArn)).toContain(onlyId(template, 'AWS::ApiGateway::Stage'))
  const blocked = { ResponseType: 'WAF_FILTERED', StatusCode: '429' }
  template.hasResourceProperties('AWS::ApiGateway::GatewayResponse', {
    ...blocked,
    ResponseParameters: mapped('gatewayresponse', { 'Retry-After': '1' }),
  })
})

test('no response without a function inserts parts of the request: $ and # would', () => {
  const bodies = [...Object.values(gatewayResponseTypes), ...mocks.map(([, mock]) => mock)]

  for (const text of bodies.map(({ body }) => textOf(body) ?? '')) {
    expect(text).toMatch(/^[ -~\n]*$/)
    expect(text).not.toMatch(/[$#]|\\\\/)
    expect(text.length).toBeLessThan(300_000) // API Gateway's limit for a template is 300 KB.
  }
})

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

test('a stage that allows only its domain has no other address', () => {
  const template = templateOf('production', everyOption)
  const { Outputs } = template.toJSON()

  expect(only(template, 'AWS::ApiGateway::RestApi').DisableExecuteApiEndpoint).toBe(true)
  expect(only(template, 'AWS::ApiGateway::DomainName')).toMatchObject({
    DomainName: everyOption.domainName,
    RegionalCertificateArn: everyOption.certificateArn,
    ...TLS,
  })
  expect(`/${only(template, 'AWS::ApiGateway::BasePathMapping').BasePath}`).toBe(service.basePath)
  expect(only(template, 'AWS::Route53::RecordSet').Name).toBe('api.example.com.')
  expect(Outputs.BaseUrl.Value).toBe(`https://api.example.com${service.basePath}`)
  expect(Outputs).not.toHaveProperty('DomainTarget')
})

test('a new domain leaves the default address as it is, and has its target as an output, for a DNS record by hand', () => {
  const { domainName, certificateArn } = everyOption
  const template = templateOf('production', { domainName, certificateArn })
  const { Outputs } = template.toJSON()

  const target = [onlyId(template, 'AWS::ApiGateway::DomainName'), 'RegionalDomainName']
  expect(only(template, 'AWS::ApiGateway::RestApi').DisableExecuteApiEndpoint).toBe(false)
  expect(Outputs.BaseUrl.Value['Fn::Join'][1]).toContain('.execute-api.')
  expect(Outputs.DomainTarget.Value).toEqual({ 'Fn::GetAtt': target })
  template.resourceCountIs('AWS::Route53::RecordSet', 0)
})

const { domainName, certificateArn, publicBaseUrl } = everyOption
const DOMAIN_URL = `https://${domainName}${service.basePath}`

test.each([
  [{}, [DEFAULT_URL]],
  [{ domainName, certificateArn }, [DOMAIN_URL, DEFAULT_URL]],
  [everyOption, [publicBaseUrl, DOMAIN_URL]],
])(
  'the document says the same as that of the contract, with the addresses of its own deployment, the best first: %#',
  (options, urls) => {
    const { servers, ...document } = JSON.parse(documentOf(templateOf('production', options)))

    expect({ ...document, servers: [] }).toEqual(JSON.parse(openApiText([])))
    expect(servers).toEqual(urls.map((url) => ({ url })))
  },
)

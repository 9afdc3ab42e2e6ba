import { describe, expect, test } from 'vitest'
import { both, everyOption, only, onlyId, propertiesOf, resource, tableOf, templateOf } from './template.ts'

const { certificateArn, domainName } = everyOption

test.each([
  ['staging', 50, 100],
  ['production', 1000, 2000],
] as const)('%s has only the API stage v1, with tracing and its throttle', (name, rate, burst) => {
  const stages = propertiesOf(templateOf(name), 'AWS::ApiGateway::Stage')

  expect(stages).toHaveLength(1)
  expect(stages[0]).toMatchObject({ StageName: 'v1', TracingEnabled: true })
  expect(stages[0].MethodSettings).toEqual([
    {
      HttpMethod: '*',
      ResourcePath: '/*',
      DataTraceEnabled: false, // It would log whole requests, API keys included.
      ThrottlingRateLimit: rate,
      ThrottlingBurstLimit: burst,
    },
  ])
})

describe.each(both())('the access log of $stage', ({ template }) => {
  test('has one line of JSON for each request, without anything that may contain an API key', () => {
    expect(JSON.parse(only(template, 'AWS::ApiGateway::Stage').AccessLogSetting.Format)).toEqual({
      requestId: '$context.extendedRequestId',
      requestTime: '$context.requestTime',
      sourceIp: '$context.identity.sourceIp',
      protocol: '$context.protocol',
      tlsVersion: '$context.tlsVersion',
      method: '$context.httpMethod',
      resource: '$context.resourcePath',
      status: '$context.status',
      errorType: '$context.error.responseType',
      milliseconds: '$context.responseLatency',
      integrationMilliseconds: '$context.integrationLatency',
      bytes: '$context.responseLength',
      traceId: '$context.xrayTraceId',
    })
  })

  test('is allowed by the account before the stage is created, and after the stack is deleted', () => {
    const accountId = onlyId(template, 'AWS::ApiGateway::Account')
    const account = resource(template, accountId)
    const role = resource(template, account.Properties.CloudWatchRoleArn['Fn::GetAtt'][0])

    const retained = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' }
    expect(account).toMatchObject(retained)
    expect(role).toMatchObject(retained)
    expect(JSON.stringify(role)).toContain(':iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs')
    expect(resource(template, onlyId(template, 'AWS::ApiGateway::Stage')).DependsOn).toEqual([accountId])
  })
})

test.each(both())('$stage without a domain name has the address of API Gateway', ({ template }) => {
  const api = { Ref: onlyId(template, 'AWS::ApiGateway::RestApi') }
  const host = [api, '.execute-api.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }]

  expect(template.toJSON().Outputs).toEqual({
    BaseUrl: { Value: { 'Fn::Join': ['', ['https://', ...host, '/v1']] } },
    PetsTable: { Value: { Ref: tableOf(template, 'id') } },
    ApiKeysTable: { Value: { Ref: tableOf(template, 'digest') } },
    IdempotencyKeysTable: { Value: { Ref: tableOf(template, 'intent') } },
  })
  template.resourceCountIs('AWS::ApiGateway::DomainName', 0)
  template.resourceCountIs('AWS::ApiGateway::BasePathMapping', 0)
  template.resourceCountIs('AWS::Route53::RecordSet', 0)
})

test.each(['staging', 'production'] as const)('%s with a domain name has no other address', (stage) => {
  const template = templateOf(stage, everyOption)
  const domainId = onlyId(template, 'AWS::ApiGateway::DomainName')
  const { Outputs } = template.toJSON()

  expect(only(template, 'AWS::ApiGateway::RestApi').DisableExecuteApiEndpoint).toBe(true)
  expect(only(template, 'AWS::ApiGateway::DomainName')).toEqual({
    DomainName: domainName,
    RegionalCertificateArn: certificateArn,
    EndpointConfiguration: { Types: ['REGIONAL'] },
    SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PQ_2025_09',
    EndpointAccessMode: 'STRICT',
  })
  expect(only(template, 'AWS::ApiGateway::BasePathMapping')).toEqual({
    BasePath: 'v1',
    DomainName: { Ref: domainId },
    RestApiId: { Ref: onlyId(template, 'AWS::ApiGateway::RestApi') },
    Stage: { Ref: onlyId(template, 'AWS::ApiGateway::Stage') },
  })
  expect(only(template, 'AWS::Route53::RecordSet')).toEqual({
    Name: 'api.example.com.',
    Type: 'A',
    HostedZoneId: 'Z0123456789',
    AliasTarget: {
      DNSName: { 'Fn::GetAtt': [domainId, 'RegionalDomainName'] },
      HostedZoneId: { 'Fn::GetAtt': [domainId, 'RegionalHostedZoneId'] },
    },
  })
  expect(Outputs.BaseUrl).toEqual({ Value: 'https://api.example.com/v1' })
  expect(Outputs).not.toHaveProperty('DomainTarget')
})

test('a domain name without a hosted zone has its target as an output, for a DNS record by hand', () => {
  const template = templateOf('production', { domainName, certificateArn })
  const domainId = onlyId(template, 'AWS::ApiGateway::DomainName')

  expect(template.toJSON().Outputs).toMatchObject({
    BaseUrl: { Value: 'https://api.example.com/v1' },
    DomainTarget: { Value: { 'Fn::GetAtt': [domainId, 'RegionalDomainName'] } },
  })
  template.resourceCountIs('AWS::Route53::RecordSet', 0)
})

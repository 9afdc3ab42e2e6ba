import { describe, expect, test } from 'vitest'
import { StageError, stages } from '../../../infra/stages.ts'
import { both, onlyId, resource, templateOf } from './template.ts'

const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/0f5fcd1c'
const domain = { domainName: 'api.example.com', certificateArn }
const hostedZone = { id: 'Z0123456789', name: 'example.com' }

test.each(both)('without a domain name, $name is found at the address that API Gateway gives', ({ template }) => {
  const { Properties } = resource(template, onlyId(template, 'AWS::ApiGateway::RestApi'))

  expect(Properties.DisableExecuteApiEndpoint).toBe(false)
  template.resourceCountIs('AWS::ApiGateway::DomainName', 0)
  template.resourceCountIs('AWS::ApiGateway::BasePathMapping', 0)
  template.resourceCountIs('AWS::Route53::RecordSet', 0)
})

describe.each(['staging', 'production'] as const)('with a domain name, %s', (name) => {
  const template = templateOf('Named', { ...stages[name], ...domain })
  const domainId = onlyId(template, 'AWS::ApiGateway::DomainName')

  test('is found there alone, with TLS 1.2 or newer', () => {
    const api = resource(template, onlyId(template, 'AWS::ApiGateway::RestApi')).Properties

    expect(resource(template, domainId).Properties).toEqual({
      DomainName: 'api.example.com',
      RegionalCertificateArn: certificateArn,
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PQ_2025_09',
      EndpointAccessMode: 'STRICT',
    })
    expect(api).toMatchObject({
      DisableExecuteApiEndpoint: true,
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PQ_2025_09',
      EndpointAccessMode: 'STRICT',
    })
  })

  test('has v1 in the path, as it has without one', () => {
    const mapping = resource(template, onlyId(template, 'AWS::ApiGateway::BasePathMapping')).Properties

    expect(mapping).toEqual({
      BasePath: 'v1',
      DomainName: { Ref: domainId },
      RestApiId: { Ref: onlyId(template, 'AWS::ApiGateway::RestApi') },
      Stage: { Ref: onlyId(template, 'AWS::ApiGateway::Stage') },
    })
  })

  test('tells what the name must point to, where it has no zone to write that in', () => {
    const { BaseUrl, DomainTarget } = template.toJSON().Outputs

    expect(BaseUrl).toEqual({ Value: 'https://api.example.com/v1' })
    expect(DomainTarget).toEqual({ Value: { 'Fn::GetAtt': [domainId, 'RegionalDomainName'] } })
    template.resourceCountIs('AWS::Route53::RecordSet', 0)
  })

  test('has a record in the zone, where there is one', () => {
    const zoned = templateOf('Named', { ...stages[name], ...domain, hostedZone })
    const record = resource(zoned, onlyId(zoned, 'AWS::Route53::RecordSet')).Properties

    expect(record).toEqual({
      Name: 'api.example.com.',
      Type: 'A',
      HostedZoneId: 'Z0123456789',
      AliasTarget: {
        DNSName: { 'Fn::GetAtt': [domainId, 'RegionalDomainName'] },
        HostedZoneId: { 'Fn::GetAtt': [domainId, 'RegionalHostedZoneId'] },
      },
    })
    const outputs = ['ApiKeysTable', 'BaseUrl', 'IdempotencyKeysTable', 'PetsTable']
    expect(Object.keys(zoned.toJSON().Outputs).sort()).toEqual(outputs)
  })
})

test.each([
  ['a certificate alone', { certificateArn }],
  ['a domain name alone', { domainName: 'api.example.com' }],
  ['a zone alone', { hostedZone }],
  ['a zone and a certificate', { hostedZone, certificateArn }],
  ['a zone and a domain name', { hostedZone, domainName: 'api.example.com' }],
])('refuses %s, with one sentence', (_, parts) => {
  expect(() => templateOf('Named', { ...stages.staging, ...parts })).toThrow(
    new StageError('Named needs domainName and certificateArn together; hostedZone only with them.'),
  )
})

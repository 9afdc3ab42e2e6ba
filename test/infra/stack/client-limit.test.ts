import { expect, test } from 'vitest'
import { gatewayResponses } from '../../../infra/gateway.ts'
import { commonHeaders } from '../../../shared/pipeline/http.ts'
import { everyOption, only, onlyId, resourcesOf, templateOf } from './template.ts'

const template = templateOf('production', everyOption)
const { Rules, CustomResponseBodies, ...acl } = only(template, 'AWS::WAFv2::WebACL')

test('a client limit refuses the requests of an API key, and of an address, that are too many in five minutes', () => {
  const TextTransformations = [
    { Priority: 0, Type: 'LOWERCASE' },
    { Priority: 1, Type: 'COMPRESS_WHITE_SPACE' },
  ]
  const window = { EvaluationWindowSec: 300 }
  const CustomKeys = [{ Header: { Name: 'authorization', TextTransformations } }]

  expect(acl.DefaultAction).toEqual({ Allow: {} })
  expect(Rules).toMatchObject([
    {
      Priority: 0,
      Statement: {
        RateBasedStatement: { ...window, Limit: 3000, AggregateKeyType: 'CUSTOM_KEYS', CustomKeys },
      },
    },
    {
      Priority: 1,
      Statement: { RateBasedStatement: { ...window, Limit: 9000, AggregateKeyType: 'IP' } },
    },
  ])
})

test('a client limit refuses them with the error body of the API, which web pages can read', () => {
  for (const { Action } of Rules) {
    const { ResponseCode, CustomResponseBodyKey, ResponseHeaders } = Action.Block.CustomResponse
    const { ContentType, Content } = CustomResponseBodies[CustomResponseBodyKey]
    const headers = ResponseHeaders.map(({ Name, Value }: Record<string, string>) => [Name, Value])

    expect([ResponseCode, ContentType]).toEqual([429, 'APPLICATION_JSON'])
    expect(JSON.parse(Content)).toEqual(gatewayResponses.tooManyRequests.body)
    expect({ ...Object.fromEntries(headers), 'X-Request-Id': '' }).toEqual({
      ...commonHeaders('', false),
      'Retry-After': '30',
    })
  }
})

test('a client limit shows no API key, in samples or in logs', () => {
  const Field = { FieldType: 'SINGLE_HEADER', FieldKeys: ['authorization'] }

  for (const { VisibilityConfig } of [acl, ...Rules])
    expect(VisibilityConfig.SampledRequestsEnabled).toBe(false)
  expect(acl.DataProtectionConfig.DataProtections).toEqual([{ Action: 'SUBSTITUTION', Field }])
  expect(resourcesOf(template, 'AWS::WAFv2::LoggingConfiguration')).toEqual([])
})

test('a client limit applies to the API of its stage', () => {
  const { WebACLArn, ResourceArn } = only(template, 'AWS::WAFv2::WebACLAssociation')

  const stage = { Ref: onlyId(template, 'AWS::ApiGateway::Stage') }
  expect(WebACLArn).toEqual({ 'Fn::GetAtt': [onlyId(template, 'AWS::WAFv2::WebACL'), 'Arn'] })
  expect(ResourceArn['Fn::Join'][1]).toEqual(expect.arrayContaining(['/stages/', stage]))
})

import { describe, expect, test } from 'vitest'
import { both, onlyId, production, propertiesOf, resource, staging } from './template.ts'

describe.each(both)('the access log of $name', ({ template }) => {
  const [stage] = propertiesOf(template, 'AWS::ApiGateway::Stage')

  test('is a line of JSON for each request, with nothing in it that may hold an API key', () => {
    expect(JSON.parse(stage.AccessLogSetting.Format)).toEqual({
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

  test('goes to a log group of its own', () => {
    const [, parts] = stage.AccessLogSetting.DestinationArn['Fn::Join']
    const { Ref } = parts.at(-1)

    expect(parts.at(-2)).toBe(':log-group:')
    expect(resource(template, Ref).Type).toBe('AWS::Logs::LogGroup')
    const others = propertiesOf(template, 'AWS::Lambda::Function').map(
      ({ LoggingConfig }) => LoggingConfig.LogGroup.Ref,
    )
    expect(others).not.toContain(Ref)
  })

  test('may be written: the account allows it before the stage is there, and after the stack is gone', () => {
    const account = resource(template, onlyId(template, 'AWS::ApiGateway::Account'))
    const role = resource(template, account.Properties.CloudWatchRoleArn['Fn::GetAtt'][0])
    const [, policy] = role.Properties.ManagedPolicyArns[0]['Fn::Join']

    const kept = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' }
    expect(account).toMatchObject(kept)
    expect(role).toMatchObject(kept)
    expect(policy.at(-1)).toBe(':iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs')
    expect(resource(template, onlyId(template, 'AWS::ApiGateway::Stage')).DependsOn).toEqual([
      onlyId(template, 'AWS::ApiGateway::Account'),
    ])
  })
})

test.each([
  ['PetStoreStaging', staging, 50, 100],
  ['PetStoreProduction', production, 1000, 2000],
])('%s has the one stage v1, which is traced and takes so much', (_, template, rate, burst) => {
  const stages = propertiesOf(template, 'AWS::ApiGateway::Stage')

  expect(stages).toHaveLength(1)
  expect(stages[0]).toMatchObject({ StageName: 'v1', TracingEnabled: true })
  expect(stages[0].MethodSettings).toEqual([
    {
      HttpMethod: '*',
      ResourcePath: '/*',
      // The whole of requests and responses, keys included, in a log.
      DataTraceEnabled: false,
      ThrottlingRateLimit: rate,
      ThrottlingBurstLimit: burst,
    },
  ])
})

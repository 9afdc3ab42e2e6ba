import { describe, expect, test } from 'vitest'
import { aliasOf, both, methodsOf, onlyId, propertiesOf, resource, tableOf } from './template.ts'

describe.each(both)('the API of $name', ({ name, template }) => {
  const api = onlyId(template, 'AWS::ApiGateway::RestApi')

  test('is regional, speaks TLS 1.2 or newer, and compresses what is worth it', () => {
    expect(resource(template, api).Properties).toEqual({
      Name: name,
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PQ_2025_09',
      EndpointAccessMode: 'STRICT',
      MinimumCompressionSize: 1024,
      DisableExecuteApiEndpoint: false,
    })
  })

  test('has a method for each operation, one that answers browsers, and one for all others', () => {
    const routes = methodsOf(template).map(({ route, properties }) => [route, properties.OperationName])

    expect(Object.fromEntries(routes)).toMatchObject({
      'GET /pets': 'listPets',
      'POST /pets': 'createPet',
      'GET /pets/{petId}': 'getPet',
      'OPTIONS /pets': undefined,
      'OPTIONS /pets/{petId}': undefined,
      'ANY /pets': undefined,
      'ANY /pets/{petId}': undefined,
      'ANY /': undefined,
      'ANY /{proxy+}': undefined,
    })
  })

  test.each([
    ['listPets', 'GET', '/GET/pets'],
    ['createPet', 'POST', '/POST/pets'],
    ['getPet', 'GET', '/GET/pets/*'],
  ])('calls what is live of %s, which only that method may', (operation, method, source) => {
    const alias = { Ref: aliasOf(template, operation) }
    const permissions = propertiesOf(template, 'AWS::Lambda::Permission').filter(
      ({ FunctionName }) => FunctionName.Ref === alias.Ref,
    )

    template.hasResourceProperties('AWS::ApiGateway::Method', {
      OperationName: operation,
      HttpMethod: method,
      AuthorizationType: 'NONE',
      Integration: { Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST' },
    })
    expect(permissions).toEqual([
      {
        Action: 'lambda:InvokeFunction',
        FunctionName: alias,
        Principal: 'apigateway.amazonaws.com',
        SourceArn: { 'Fn::Join': ['', expect.arrayContaining([{ Ref: api }, source])] },
      },
    ])
  })

  test.each([
    ['/pets', 'GET,POST,OPTIONS'],
    ['/pets/{petId}', 'GET,OPTIONS'],
    ['/docs', 'GET,OPTIONS'],
    ['/openapi.json', 'GET,OPTIONS'],
  ])('lets browsers of any page call %s with %s', (path, methods) => {
    const options = methodsOf(template).find(({ route }) => route === `OPTIONS ${path}`)

    expect(options?.properties.Integration.IntegrationResponses).toEqual([
      {
        StatusCode: '204',
        ResponseParameters: {
          'method.response.header.Access-Control-Allow-Origin': "'*'",
          'method.response.header.Access-Control-Expose-Headers': expect.stringContaining('X-Request-Id'),
          'method.response.header.Cache-Control': "'no-store'",
          'method.response.header.Content-Type': "'application/json'",
          'method.response.header.X-Request-Id': 'context.extendedRequestId',
          'method.response.header.Access-Control-Allow-Headers': "'Authorization,Content-Type,Idempotency-Key'",
          'method.response.header.Access-Control-Allow-Methods': `'${methods}'`,
          'method.response.header.Access-Control-Max-Age': "'7200'",
        },
      },
    ])
  })

  test('tells its base address, which does not end in a slash, the names of its tables, and nothing else', () => {
    const host = [{ Ref: api }, '.execute-api.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }]

    expect(template.toJSON().Outputs).toEqual({
      BaseUrl: { Value: { 'Fn::Join': ['', ['https://', ...host, '/v1']] } },
      PetsTable: { Value: { Ref: tableOf(template, 'id') } },
      ApiKeysTable: { Value: { Ref: tableOf(template, 'digest') } },
      IdempotencyKeysTable: { Value: { Ref: tableOf(template, 'intent') } },
    })
  })
})

import { describe, expect, test } from 'vitest'
import { functionOf, methodsOf, production, staging } from './template.ts'

describe.each([
  { name: 'PetStoreStaging', template: staging },
  { name: 'PetStoreProduction', template: production },
])('the API of $name', ({ name, template }) => {
  test('is regional, and its one stage is v1', () => {
    const [api] = Object.values(template.findResources('AWS::ApiGateway::RestApi'))
    const stages = Object.values(template.findResources('AWS::ApiGateway::Stage'))

    expect(api?.Properties).toEqual({ Name: name, EndpointConfiguration: { Types: ['REGIONAL'] } })
    expect(stages.map(({ Properties }) => Properties.StageName)).toEqual(['v1'])
  })

  test('has a method for each operation, and one that answers browsers', () => {
    const routes = methodsOf(template).map(({ route, Properties }) => [route, Properties.OperationName])

    expect(Object.fromEntries(routes)).toEqual({
      'GET /pets': 'listPets',
      'POST /pets': 'createPet',
      'GET /pets/{petId}': 'getPet',
      'OPTIONS /pets': undefined,
      'OPTIONS /pets/{petId}': undefined,
    })
  })

  test.each([
    ['listPets', '/GET/pets'],
    ['createPet', '/POST/pets'],
    ['getPet', '/GET/pets/*'],
  ])('calls the function of %s as it is, which only that method may', (operation, source) => {
    const handler = { 'Fn::GetAtt': [functionOf(template, operation), 'Arn'] }
    const permissions = Object.values(
      template.findResources('AWS::Lambda::Permission', { Properties: { FunctionName: handler } }),
    )

    template.hasResourceProperties('AWS::ApiGateway::Method', {
      OperationName: operation,
      AuthorizationType: 'NONE',
      Integration: { Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST' },
    })
    expect(permissions).toHaveLength(1)
    expect(permissions[0]?.Properties.Principal).toBe('apigateway.amazonaws.com')
    expect(permissions[0]?.Properties.SourceArn['Fn::Join'][1].at(-1)).toBe(source)
  })

  test.each([
    ['/pets', 'GET,POST,OPTIONS'],
    ['/pets/{petId}', 'GET,OPTIONS'],
  ])('lets browsers of any page call %s with %s', (path, methods) => {
    const options = methodsOf(template).find(({ route }) => route === `OPTIONS ${path}`)

    expect(options?.Properties.Integration.IntegrationResponses).toEqual([
      {
        StatusCode: '204',
        ResponseParameters: {
          'method.response.header.Access-Control-Allow-Origin': "'*'",
          'method.response.header.Access-Control-Allow-Headers': "'Authorization,Content-Type,Idempotency-Key'",
          'method.response.header.Access-Control-Allow-Methods': `'${methods}'`,
          'method.response.header.Access-Control-Max-Age': "'7200'",
        },
      },
    ])
  })

  test('tells its base address, which does not end in a slash, and nothing else', () => {
    const [api] = Object.keys(template.findResources('AWS::ApiGateway::RestApi'))
    const parts = [
      'https://',
      { Ref: api },
      '.execute-api.',
      { Ref: 'AWS::Region' },
      '.',
      { Ref: 'AWS::URLSuffix' },
      '/v1',
    ]

    expect(template.toJSON().Outputs).toEqual({ BaseUrl: { Value: { 'Fn::Join': ['', parts] } } })
  })
})

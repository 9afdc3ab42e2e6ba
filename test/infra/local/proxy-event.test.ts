import { expect, test } from 'vitest'
import { eventOfText } from './event.ts'

test('has exactly the keys of an event of API Gateway, and null where nothing is', async () => {
  const host = 'pets.example:8080'

  const event = await eventOfText(`GET /v1/pets HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: curl/8.5.0\r\n\r\n`)

  expect(event).toEqual({
    resource: '/pets',
    path: '/pets',
    httpMethod: 'GET',
    headers: {
      Host: host,
      'User-Agent': 'curl/8.5.0',
      'X-Forwarded-For': '127.0.0.1',
      'X-Forwarded-Port': expect.stringMatching(/^\d+$/),
      'X-Forwarded-Proto': 'http',
    },
    multiValueHeaders: {
      Host: [host],
      'User-Agent': ['curl/8.5.0'],
      'X-Forwarded-For': ['127.0.0.1'],
      'X-Forwarded-Port': [expect.stringMatching(/^\d+$/)],
      'X-Forwarded-Proto': ['http'],
    },
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    stageVariables: null,
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      deploymentId: 'local',
      domainName: host,
      domainPrefix: 'local',
      extendedRequestId: expect.stringMatching(/^[\w-]{15}=$/),
      httpMethod: 'GET',
      identity: {
        accessKey: null,
        accountId: null,
        caller: null,
        cognitoAuthenticationProvider: null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        sourceIp: '127.0.0.1',
        user: null,
        userAgent: 'curl/8.5.0',
        userArn: null,
      },
      path: '/v1/pets',
      protocol: 'HTTP/1.1',
      requestId: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
      requestTime: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
      requestTimeEpoch: expect.any(Number),
      resourceId: 'local',
      resourcePath: '/pets',
      stage: 'v1',
    },
    body: null,
    isBase64Encoded: false,
  })
})

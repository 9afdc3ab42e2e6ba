import { describe, expect, test } from 'vitest'
import { referenceScript } from '../../../infra/openapi/docs-page.ts'
import { publicDocuments } from '../../../infra/openapi/public-documents.ts'
import { both, methodsOf } from './template.ts'

const { integrity, publicAddress } = referenceScript()
const documents = publicDocuments({ address: publicAddress, integrity })

describe.each(both)('the reference of $name', ({ template }) => {
  test.each(Object.entries(documents))('GET %s needs no key and runs no function', (path, { headers, body }) => {
    const { Integration, ...method } =
      methodsOf(template).find(({ route }) => route === `GET ${path}`)?.properties ?? {}
    const { IntegrationResponses, RequestTemplates, ...integration } = Integration
    const [{ ResponseParameters, ...response }, ...others] = IntegrationResponses

    expect(method).toMatchObject({ AuthorizationType: 'NONE', HttpMethod: 'GET' })
    expect(method).not.toHaveProperty('ApiKeyRequired')
    expect(integration).toEqual({ Type: 'MOCK', PassthroughBehavior: 'NEVER' })
    expect(RequestTemplates['application/json']).toBe('{"statusCode": 200}')
    expect(others).toEqual([])
    expect(response).toEqual({ StatusCode: '200', ResponseTemplates: { 'application/json': body } })
    const written = Object.entries(headers).map(([name, value]) => [`method.response.header.${name}`, `'${value}'`])
    expect(ResponseParameters).toMatchObject({
      ...Object.fromEntries(written),
      'method.response.header.Access-Control-Allow-Origin': "'*'",
      'method.response.header.X-Request-Id': 'context.extendedRequestId',
    })
    // A header that the method does not declare is not sent.
    const declared = Object.keys(ResponseParameters).map((name) => [name, true])
    expect(method.MethodResponses).toEqual([{ StatusCode: '200', ResponseParameters: Object.fromEntries(declared) }])
  })
})

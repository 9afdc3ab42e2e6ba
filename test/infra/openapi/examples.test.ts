import { expect, test } from 'vitest'
import { openApiText } from '../../../infra/openapi/document.ts'
import { stringifyJson } from '../../../shared/model/json.ts'
import { headersOf, startTestServer } from '../../support/server.ts'

type Part = { example?: unknown }
type Operation = {
  parameters: (Part & { name: string; in: string; required: boolean })[]
  requestBody?: { content: { 'application/json': Part } }
  responses: object
}

const { paths }: { paths: Record<string, Record<string, Operation>> } = JSON.parse(openApiText([]))

/** The request that other tools make of the examples; `undefined` if a required one is missing. */
const exampleRequest = (path: string, { parameters, requestBody }: Operation) => {
  const body = requestBody?.content['application/json']
  const required = parameters.filter((parameter) => parameter.required)
  if ([...required, ...(body ? [body] : [])].some(({ example }) => example === undefined)) return
  const valuesIn = (location: string): Record<string, string> => {
    const given = parameters.filter((each) => each.in === location && each.example !== undefined)
    return Object.fromEntries(given.map(({ name, example }) => [name, String(example)]))
  }
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name) => valuesIn('path')[name] ?? '')
  return {
    address: `${address}?${new URLSearchParams(valuesIn('query'))}`,
    headers: valuesIn('header'),
    body: body ? stringifyJson(body.example) : null,
  }
}

// Postman and Bruno make such requests of the document that they import.
test.each([...new Set(Object.values(paths).flatMap(Object.keys))])(
  'the examples of each %s request succeed together',
  async (method) => {
    const server = await startTestServer([])

    for (const [path, { [method]: operation }] of Object.entries(paths)) {
      const request = operation && exampleRequest(path, operation)
      if (!request) continue
      const { address, body } = request
      const headers = { ...headersOf(server), ...request.headers }
      const sent = { method: method.toUpperCase(), headers, body }
      const response = await fetch(server.baseUrl + address, sent)

      const [success] = Object.keys(operation.responses)
      expect(`${response.status}`, address).toBe(success)
      if (method !== 'get') continue
      // Examples of optional parameters change nothing.
      const bare = await fetch(server.baseUrl + address.replace(/\?.*/, ''), { headers })
      if (bare.ok) expect(await response.text()).toBe(await bare.text())
    }
  },
)

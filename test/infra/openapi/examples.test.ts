import { expect, test, vi } from 'vitest'
import { LOCAL_API_KEY } from '../../../infra/local/database/local-api-key.ts'
import { addExamples } from '../../../infra/local/examples.ts'
import { openApiText } from '../../../infra/openapi/document.ts'
import { collections } from '../../../shared/collections.ts'
import { stringifyJson } from '../../../shared/model/json.ts'
import { propertyNames } from '../../../shared/model/names.ts'
import { deleteItem, storedItems } from '../../support/database.ts'
import { serveDeployment } from '../../support/local-deployment.ts'
import { headersOf } from '../../support/server.ts'

vi.spyOn(console, 'info').mockImplementation(() => {})

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
    const { baseUrl } = await serveDeployment()
    for (const table of propertyNames(collections))
      for (const { id } of await storedItems(table)) await deleteItem(table, { id })
    await addExamples()

    for (const [path, { [method]: operation }] of Object.entries(paths)) {
      const request = operation && exampleRequest(path, operation)
      if (!request) continue
      const { address, body } = request
      const headers = { ...headersOf({ apiKey: LOCAL_API_KEY }), ...request.headers }
      const sent = { method: method.toUpperCase(), headers, body }
      const response = await fetch(baseUrl + address, sent)

      const [success] = Object.keys(operation.responses)
      expect(`${response.status}`, address).toBe(success)
      if (method !== 'get') continue
      // Examples of optional parameters change nothing.
      const bare = await fetch(baseUrl + address.replace(/\?.*/, ''), { headers })
      if (bare.ok) expect(await response.text()).toBe(await bare.text())
    }
  },
)

import { beforeEach, expect, test, vi } from 'vitest'
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

beforeEach(async () => {
  for (const table of propertyNames(collections))
    for (const { id } of await storedItems(table)) await deleteItem(table, { id })
})

test('the examples are pets of each status, with an order for each pending or sold one', async () => {
  // As by two servers of one database.
  const atOnce = await Promise.all([addExamples(), addExamples()])
  expect(atOnce.toSorted()).toEqual([
    '51 pets and 22 orders',
    expect.stringMatching(/^no examples: /),
  ])
  expect(await addExamples()).toBe('no examples: it is not empty')

  const [pets, orders] = [await storedItems('pets'), await storedItems('orders')]
  const of = (status: string) => pets.filter((pet) => pet.status === status).length
  expect([pets.length, of('available') + of('pending') + of('sold')]).toEqual([51, 51])
  expect([orders.length, of('pending') + of('sold')]).toEqual([22, 22])
  expect(orders.filter(({ complete }) => complete)).toHaveLength(of('sold'))
})

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

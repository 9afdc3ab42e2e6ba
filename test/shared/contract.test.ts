import { readdirSync } from 'node:fs'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { LOCAL_API_KEY } from '../../infra/local/database/local-api-key.ts'
import { addExamples } from '../../infra/local/examples.ts'
import { openApiText } from '../../infra/openapi/document.ts'
import { entries } from '../../shared/contract.ts'
import { tableIds, tables } from '../../shared/data/tables.ts'
import { stringifyJson } from '../../shared/model/json.ts'
import { PATH_PARAMETER, takesIfMatch } from '../../shared/pipeline/by-method.ts'
import type { AnyEntry } from '../../shared/pipeline/entry.ts'
import { deleteItem, storedItems } from '../support/database.ts'
import { differences, type OpenApi } from '../support/documented.ts'
import { eventOf } from '../support/events.ts'
import { replayOf, type Sent, sendUntilServed } from '../support/http.ts'
import { invoke } from '../support/invoke.ts'
import { serveDeployment } from '../support/local-deployment.ts'
import { headersOf } from '../support/server.ts'

// A resource takes part by its seed, which stores the examples of the document, and two values of
// each field to filter by.

const written = tableIds.filter((id) => id !== 'apiKeys')

const everything = () => Promise.all(written.map(storedItems))

/** Stores the examples, and nothing else. */
const storeExamples = async (): Promise<void> => {
  for (const table of written) {
    const { name } = tables[table].partitionKey
    for (const item of await storedItems(table)) await deleteItem(table, { [name]: item[name] })
  }
  await addExamples()
}
beforeAll(storeExamples)

type Part = { example?: unknown }
type Operation = {
  parameters: (Part & { name: string; in: string; required: boolean })[]
  requestBody?: { content: { 'application/json': Part } }
}

const openApi: OpenApi = JSON.parse(openApiText([]))

/** The request that other tools make of the examples. */
const exampleRequest = ({ method, path }: AnyEntry): Sent => {
  const operation: unknown = openApi.paths[path]?.[method.toLowerCase()]
  const { parameters, requestBody } = operation as Operation // As the document has it.
  const body = requestBody?.content['application/json']
  const required = [...parameters.filter((each) => each.required), ...(body ? [body] : [])]
  if (required.some(({ example }) => example === undefined))
    expect.fail(`${method} ${path} needs v.examples() in its schemas.`)
  const valuesIn = (location: string): Record<string, string> => {
    const given = parameters.filter((each) => each.in === location && each.example !== undefined)
    return Object.fromEntries(given.map(({ name, example }) => [name, String(example)]))
  }
  const address = path.replaceAll(PATH_PARAMETER, (_, name) => valuesIn('path')[name] ?? '')
  return {
    method,
    path: `${address}?${new URLSearchParams(valuesIn('query'))}`,
    headers: valuesIn('header'),
    ...(body && { body: stringifyJson(body.example) }),
  }
}

/** Sends a request. Expects the response to be as the document describes it. */
const send = async (baseUrl: string, { headers, ...request }: Sent) => {
  const sent = { ...request, headers: { ...headersOf({ apiKey: LOCAL_API_KEY }), ...headers } }
  const response = await sendUntilServed(baseUrl, sent)
  expect(differences(openApi, sent, response), `${request.method} ${request.path}`).toEqual([])
  return response
}

const operations = Object.entries<AnyEntry>(entries)

/** Expects that an operation refuses its example with these changes, and changes nothing. */
const expectRefused = async ([id, entry]: [string, AnyEntry], changes: Sent, expected: object) => {
  const { baseUrl } = await serveDeployment()
  const example = exampleRequest(entry)
  const before = await everything()

  const { body } = await send(baseUrl, { ...example, ...changes })

  expect(body, `functions/${id}.ts`).toMatchObject(expected)
  expect(await everything(), `functions/${id}.ts`).toEqual(before)
}

test.each(operations.filter(([, entry]) => takesIfMatch(entry)))(
  '%s returns 412 for a stale If-Match, which its function passes on, and changes nothing',
  async (...operation) => {
    await expectRefused(operation, { headers: { 'If-Match': '"1-a"' } }, { status: 412 })
  },
)

test.each(operations.filter(([, { params, pages }]) => params && !pages))(
  '%s returns 404 for an id that nothing has, and changes nothing',
  async (...operation) => {
    const path = operation[1].path.replaceAll(PATH_PARAMETER, '1')

    await expectRefused(
      operation,
      { path },
      { status: 404, message: expect.stringMatching(/\b1\b/) },
    )
  },
)

// Of lists that show what they filter by.
const filters = operations.flatMap(([id, { path, pages, query }]) => {
  const fields = Object(pages).item?.entries ?? {} // An array of objects, by its schema.
  const names = Object.keys(query?.entries ?? {}).filter((filter) => filter in fields)
  return names.map((filter) => ({ id, path, filter }))
})

test.each(filters)('$id has only items with the value of its filter $filter', async (list) => {
  const { baseUrl } = await serveDeployment()
  const valuesFor = async (query: object): Promise<unknown[]> => {
    const parameters = new URLSearchParams({ limit: '100', ...query })
    const { body } = await send(baseUrl, { path: `${list.path}?${parameters}` })
    const items = body as Record<string, unknown>[] // As the document describes a 200.
    return [...new Set(items.map((item) => item[list.filter]))]
  }

  const values = (await valuesFor({})).filter((value) => value !== undefined)

  const advice = `Let the seed of ${list.path} store items with two values of ${list.filter}.`
  expect(values.length, advice).toBeGreaterThan(1)
  for (const value of values.slice(0, 2))
    expect(await valuesFor({ [list.filter]: value }), `functions/${list.id}.ts`).toEqual([value])
})

// Postman and Bruno make such requests of the document that they import.
test.each(operations)('%s: its example succeeds, as documented and once', async (id, entry) => {
  const { baseUrl } = await serveDeployment()
  const example = exampleRequest(entry)
  if (entry.method !== 'GET') onTestFinished(storeExamples)
  const headers = { ...example.headers, 'Idempotency-Key': id }

  const first = await send(baseUrl, { ...example, headers })
  // Examples of optional parameters change nothing.
  const again = await send(baseUrl, { ...example, headers, path: example.path?.split('?')[0] })

  const advice = first.status < 500 ? 'Its seed must store the example.' : 'See the log.'
  expect(first.status, `${advice} ${first.text}`).toBeLessThan(300)
  if (entry.method !== 'GET') expect(again).toMatchObject(replayOf(first))
  else if (again.status === 200) expect(again.text).toBe(first.text)
})

test.each(readdirSync('test/events'))('the event %s succeeds', async (file) => {
  const event = eventOf(file.replace('.json', ''))
  if (event.httpMethod !== 'GET') onTestFinished(storeExamples)

  const { status } = await invoke(event)

  expect(status).toBeLessThan(300)
})

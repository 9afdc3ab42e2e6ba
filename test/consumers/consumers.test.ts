import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { entries } from '../../shared/contract.ts'
import { successStatus } from '../../shared/pipeline/by-method.ts'
import { filters } from '../../shared/service.ts'
import { DEFAULT_URL, documentOf, templateOf } from '../infra/stack/template.ts'
import { installPackages } from '../support/process.ts'
import { headersOf, type LocalServer, startTestServer, temporaryFolder } from '../support/server.ts'

await installPackages(import.meta.dirname)
const require = createRequire(import.meta.url)

const deployed = documentOf(templateOf('production'))

/** The document of a deployment, of which nothing is replaced but its address. */
const documentFor = ({ baseUrl }: LocalServer): string => deployed.replaceAll(DEFAULT_URL, baseUrl)

/** A folder with a document, in which programs find the packages of this one. */
const folderWith = (document: string): string => {
  const folder = temporaryFolder()
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'openapi.json'), document)
  return folder
}

const run = async (cwd: string, file: string, args: string[]): Promise<string> => {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  return (await promisify(execFile)(file, args, { cwd, env })).stdout
}

type QueryParameter = { key: string; disabled?: boolean }

/** The part of a request of Postman's that is read here. */
type PostmanRequest = {
  method: string
  url: { getPathWithQuery: () => string; query: { all: () => QueryParameter[] } }
  headers: { toObject: (isEnabled: true) => Record<string, string> }
  body?: { isEmpty: () => boolean; toString: () => string }
}

/** The requests that Postman makes of a document, by name, with the base address that it takes. */
const postmanCollection = async (document: string) => {
  const { convertV2 } = require('openapi-to-postmanv2')
  const { Collection } = require('postman-collection')
  const input = { type: 'string', data: document }
  const { result, output } = await promisify(convertV2)(input, { parametersResolution: 'Example' })
  expect(result).toBe(true)
  const collection = new Collection(output[0].data)
  const items: { name: string; request: PostmanRequest }[] = []
  collection.forEachItem((item: (typeof items)[number]) => items.push(item))
  return { baseUrl: `${collection.variables.get('baseUrl')}`, items }
}

const filterNames: string[] = Object.values(filters).flat()

/** Switches all filters off but one, as the guide says. */
const leaveOneFilter = ({ url }: PostmanRequest): void => {
  const isFilter = ({ key }: QueryParameter) => filterNames.includes(key)
  for (const filter of url.query.all().filter(isFilter).slice(1)) filter.disabled = true
}

const sendFromPostman = (baseUrl: string, apiKey: string, request: PostmanRequest) => {
  const { method, url, headers: own, body } = request
  const headers = { ...own.toObject(true), Authorization: `Bearer ${apiKey}` }
  const sentBody = body && !body.isEmpty() ? body.toString() : null
  return fetch(baseUrl + url.getPathWithQuery(), { method, headers, body: sentBody })
}

const entryOf = (summary: string) => {
  const entry = Object.values(entries).find((each) => each.summary === summary)
  if (!entry) throw new Error(`No operation has the summary ${summary}.`)
  return entry
}

// Each method has a server of its own, because a delete takes away what others read.
test.each(['GET', 'POST', 'PATCH', 'DELETE'])(
  'Postman makes %s requests of the document that succeed',
  async (method) => {
    const server = await startTestServer([])
    const { baseUrl, items } = await postmanCollection(documentFor(server))

    const sent = items.filter(({ request }) => request.method === method)
    const statuses: [string, number][] = []
    for (const { name, request } of sent) {
      leaveOneFilter(request)
      const { status } = await sendFromPostman(baseUrl, server.apiKey, request)
      statuses.push([name, status])
    }

    expect(statuses.length).toBeGreaterThan(0)
    expect(statuses).toEqual(sent.map(({ name }) => [name, successStatus(entryOf(name))]))
  },
)

/** Adds, orders and finds a pet with the client that a generator has made. */
const GENERATED = `
import { createPet, defaults, listPets, placeOrder } from './client.ts'

defaults.headers = { Authorization: process.argv[2] }
const pet = await createPet({ name: 'Rex', categoryId: 7, status: 'available' })
const order = await placeOrder({ petId: pet.data.id }, { idempotencyKey: 'k1' })
const wrong = await createPet({ name: '', categoryId: 7 })
const pets = await listPets({ status: 'pending' })
console.log(JSON.stringify([pet.status, order.status, wrong.status, pets.data.length]))
`

/** Adds and reads a pet with a client that reads the document when it runs. */
const AXIOS = `
import { readFileSync } from 'node:fs'
import { OpenAPIClientAxios } from 'openapi-client-axios'

const definition = JSON.parse(readFileSync('openapi.json', 'utf8'))
const headers = { Authorization: process.argv[2] }
const client = await new OpenAPIClientAxios({ definition, axiosConfigDefaults: { headers } }).init()
const rex = { name: 'Rex', categoryId: 7, status: 'available' }
const { data, status } = await client.createPet(null, rex)
const order = await client.placeOrder(null, { petId: data.id })
const pets = await client.listPets({ status: 'pending' })
console.log(JSON.stringify([status, order.status, pets.status, pets.data.length]))
`

test('a generator makes a client that can call, of the document that Redocly has bundled', async () => {
  const server = await startTestServer(['--empty'])
  const folder = folderWith(documentFor(server))
  writeFileSync(join(folder, 'program.ts'), GENERATED)

  await run(folder, 'redocly', ['bundle', 'openapi.json', '--output', 'bundled.json'])
  const generator = join('node_modules', 'oazapfts', 'dist', 'cli.js')
  await run(folder, process.execPath, [generator, 'bundled.json', 'client.ts'])
  const { Authorization } = headersOf(server)
  const printed = await run(folder, process.execPath, ['program.ts', Authorization])

  expect(JSON.parse(printed)).toEqual([201, 201, 400, 1])
})

test('openapi-client-axios can call', async () => {
  const server = await startTestServer(['--empty'])
  const folder = folderWith(documentFor(server))
  writeFileSync(join(folder, 'program.ts'), AXIOS)

  const { Authorization } = headersOf(server)
  const printed = await run(folder, process.execPath, ['program.ts', Authorization])

  expect(JSON.parse(printed)).toEqual([201, 201, 200, 1])
})

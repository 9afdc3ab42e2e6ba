import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { openApiText } from '../../../infra/openapi/document.ts'
import { exampleOf, jsonSchemaOf, named } from '../../../infra/openapi/schemas.ts'
import { contract, type Operation, operationIds } from '../../../shared/contract.ts'

const REVIEWED = 'test/infra/openapi/reviewed.json'
const run = promisify(execFile)
const { paths, components } = JSON.parse(openApiText())

test('the document is the reviewed one; to review a change: npm run -s openapi > test/infra/openapi/reviewed.json', () => {
  expect(openApiText()).toBe(readFileSync(REVIEWED, 'utf8'))
})

test('`npm run openapi` prints the document', async () => {
  const { stdout } = await run('npm', ['run', '--silent', 'openapi'])

  expect(stdout).toBe(openApiText())
})

test("Redocly's recommended rules find nothing", async () => {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

  const { stdout } = await run('redocly', ['lint', '--format', 'json', REVIEWED], { env })

  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 } })
})

test.each(operationIds)('%s has a summary, and a description of every parameter', (id) => {
  const { method, path, params, query, headers }: Operation = contract[id]

  const { operationId, summary, parameters } = paths[path][method.toLowerCase()]

  const names = [params, query, headers].flatMap((schema) => Object.keys(schema?.entries ?? {}))
  const aSentence = expect.stringMatching(/^[A-Z].*\.$/)
  expect({ operationId, summary }).toEqual({ operationId: id, summary: expect.stringMatching(/^[A-Z]/) })
  expect(parameters).toEqual(names.map((name) => expect.objectContaining({ name, description: aSentence })))
})

test('every field of a pet has a description that ends with its rule', () => {
  const { id, name, categoryId, status } = components.schemas.Pet.properties

  const rule = / An integer from -9223372036854775808 to 9223372036854775807, in digits\.$/
  expect(name.description).toBe(
    "The pet's name. A string of 1 to 1000 characters, not only white space, in valid Unicode.",
  )
  expect([id, categoryId].map(({ description }) => description)).toEqual(Array(2).fill(expect.stringMatching(rule)))
  expect(status.description).toBe('The availability status of the pet.')
})

test('every example is valid', () => {
  const examples = Object.values(named).flatMap((schema) => {
    const { example } = exampleOf(schema)
    return example === undefined ? [] : [[schema, example] as const]
  })

  expect(examples).toHaveLength(3)
  for (const [schema, example] of examples) expect(v.safeParse(schema, example).success).toBe(true)
})

test('a check that JSON Schema cannot express is an error unless its JSON Schema is written by hand', () => {
  const even = v.pipe(
    v.number(),
    v.check((n) => n % 2 === 0),
  )

  expect(() => jsonSchemaOf(v.object({ even }))).toThrow(/^Add to "written" .* what JSON Schema cannot express/)
})

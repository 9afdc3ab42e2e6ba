import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { openApiDocument, openApiText } from '../../../infra/openapi/document.ts'
import { exampleOf, jsonSchemaOf, named } from '../../../infra/openapi/schemas.ts'
import { contract, operationIds } from '../../../shared/contract.ts'

const REVIEWED = 'test/infra/openapi/reviewed.json'
const run = promisify(execFile)

test('the interface is as it was reviewed; after a change, review it: npm run -s openapi > test/infra/openapi/reviewed.json', () => {
  expect(openApiText()).toBe(readFileSync(REVIEWED, 'utf8'))
})

test('`npm run openapi` prints the document', async () => {
  const { stdout } = await run('npm', ['run', '--silent', 'openapi'])

  expect(stdout).toBe(openApiText())
})

test('Redocly finds nothing, by its recommended rules', async () => {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

  const { stdout } = await run('redocly', ['lint', '--format', 'json', REVIEWED], { env })

  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 } })
})

test('every operation of the contract is there, with all of its parameters', () => {
  const { paths } = JSON.parse(openApiText())

  for (const id of operationIds) {
    const { method, path, ...parts } = contract[id]
    const parameters = ['params', 'query', 'headers'].flatMap((part) => {
      const schema = part in parts ? parts[part as keyof typeof parts] : undefined
      return Object.keys(Object(schema).entries ?? {})
    })
    const operation = paths[path][method.toLowerCase()]
    expect(operation).toMatchObject({ operationId: id, summary: expect.stringMatching(/^[A-Z]/) })
    expect(operation.parameters.map(({ name }: { name: string }) => name)).toEqual(parameters)
    expect(operation.parameters.map(({ description }: { description?: string }) => description)).not.toContain(
      undefined,
    )
  }
})

test('every field of a pet says what it means, and what it may be', () => {
  const { NewPet, Pet } = JSON.parse(openApiText()).components.schemas

  expect(NewPet.properties.name.description).toBe(
    "The pet's name. It is a string of 1 to 1000 characters, not only white space, in valid Unicode.",
  )
  expect(Pet.properties.id.description).toMatch(/^Unique identifier of the pet, .*\. It is an integer from /)
  expect(Pet.properties.status).toMatchObject({ description: 'Availability of the pet.' })
})

test('every example is one that the service would take or give', () => {
  const examples = Object.values(named).flatMap((schema) => {
    const { example } = exampleOf(schema)
    return example === undefined ? [] : [[schema, example] as const]
  })

  expect(examples).toHaveLength(3)
  for (const [schema, example] of examples) expect(v.safeParse(schema, example).success).toBe(true)
})

test('what is checked by code alone and is not written down is refused', () => {
  const even = v.pipe(
    v.number(),
    v.check((n) => n % 2 === 0),
  )

  expect(() => jsonSchemaOf(v.object({ even }))).toThrow(/Write down .* what JSON Schema cannot say/)
})

test('an int64 has its exact limits', () => {
  expect(openApiText()).toContain('"minimum": -9223372036854775808,')
  expect(openApiText()).toContain('"maximum": 9223372036854775807,')
  expect(openApiDocument()).toHaveProperty('openapi', '3.1.1')
})

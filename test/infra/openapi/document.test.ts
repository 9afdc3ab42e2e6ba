import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { openApiText, operationObject } from '../../../infra/openapi/document.ts'
import { jsonSchema } from '../../../infra/openapi/schemas.ts'
import { contract } from '../../../shared/contract.ts'
import { ApiError } from '../../../shared/model/api-error.ts'
import { service } from '../../../shared/service.ts'

const run = promisify(execFile)
const BASE_URL = `https://pets.test${service.basePath}`
const text = openApiText([BASE_URL])
const { paths, components, info, security } = JSON.parse(text)

/** The components that a part of the document refers to, directly or not. */
const componentsOf = (part: unknown): Record<string, object> => {
  const references = JSON.stringify(part).matchAll(/#\/components\/(\w+)\/([\w-]+)/g)
  const found: Record<string, object> = {}
  for (const [reference, kind = '', name = ''] of references) {
    const component = components[kind][name]
    Object.assign(found, { [reference]: component }, componentsOf(component))
  }
  return found
}

type Response = { headers: object; content?: { 'application/json': { schema: object } } }

/** Each response in one line: the schema of its body, and its headers. */
const responseLines = (responses: Record<string, Response>) => {
  const lines: Record<string, string> = {}
  for (const [status, { headers, content }] of Object.entries(responses)) {
    const schema = Object.values(content?.['application/json'].schema ?? {})
    lines[status] = [...schema, ...Object.keys(headers)].join(', ')
  }
  return lines
}

/** A part of the document as clients depend on it: without texts and examples. */
const withoutTexts = (part: object): object =>
  Object(
    JSON.parse(JSON.stringify(part), (key, value) => {
      if (key === 'responses') return responseLines(Object(value))
      const isText = /^(description|summary)$/.test(key) && typeof value === 'string'
      return isText || key === 'example' ? undefined : value
    }),
  )

// The others, experimental and beta, may change without a review of the document.
test('stable operations are as reviewed: npm test -- test/infra/openapi --update', async () => {
  const operations: Record<string, object> = {}
  for (const [path, item] of Object.entries<Record<string, object>>(paths))
    for (const [method, operation] of Object.entries(item))
      if (!('x-stability' in operation)) operations[`${method.toUpperCase()} ${path}`] = operation
  // Sorted, so that a new operation moves none of them.
  const used = Object.entries(componentsOf(operations)).sort()

  const { securitySchemes } = components
  const pinned = { info, security, securitySchemes, ...operations, ...Object.fromEntries(used) }

  const reviewed = JSON.stringify(withoutTexts(pinned), undefined, 1)
  await expect(`${reviewed}\n`).toMatchFileSnapshot('reviewed.json')
})

test("Redocly's rules find nothing in the document", async () => {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const file = join(mkdtempSync(join(tmpdir(), 'openapi-')), 'openapi.json')

  writeFileSync(file, text)
  // A tag that a new operation brings may have no description, and the service has no license.
  const skipped = ['tag-description', 'info-license'].flatMap((rule) => ['--skip-rule', rule])
  const linted = await run('redocly', ['lint', ...skipped, '--format', 'json', file], { env })

  expect(JSON.parse(linted.stdout)).toMatchObject({
    totals: { errors: 0, warnings: 0, ignored: 0 },
  })
})

// What the stable operations need not have.
test('an operation has its stability, its own errors, and the values of the example sent', () => {
  const documented = operationObject('updatePet', {
    ...contract.updatePet,
    stability: 'beta',
    errors: [new ApiError(402, 'It costs 7.'), new ApiError(403, 'No pet for a child.')],
  })

  const unpaid = { code: 'payment_required', message: 'It costs 7.', status: 402 }
  const forbidden = { code: 'forbidden', message: 'No pet for a child.', status: 403 }
  const changed = { id: 373212905455903, name: 'Rex', categoryId: 7, status: 'sold' }
  expect(documented).toMatchObject({
    description: expect.stringMatching(
      /^Replaces.*Marked as beta: may change or be removed without notice\.$/s,
    ),
    'x-stability': 'beta',
    'x-badges': [{ name: 'beta' }],
    responses: {
      200: { content: { 'application/json': { example: changed } } },
      402: {
        description: unpaid.message,
        headers: { 'Idempotent-Replayed': {} },
        content: { 'application/json': { example: unpaid } },
      },
      403: {
        description: forbidden.message,
        content: { 'application/json': { example: forbidden } },
      },
      412: { headers: { 'Idempotent-Replayed': {} } },
    },
  })
})

// Of two media types, openapi-python-client makes a package that cannot be imported; of no type,
// most generators make `any`.
test('bodies have one media type, and schemas a type, or null as the only variant', () => {
  const mediaTypes = new Set<string>()
  const schemas: { type?: string; $ref?: string; anyOf?: object[] }[] = []
  JSON.parse(text, (key, value) => {
    if (key === 'content') mediaTypes.add(Object.keys(Object(value)).join())
    if (/^(schema|items)$/.test(key)) schemas.push(Object(value))
    if (/^(properties|schemas|(any|one|all)Of)$/.test(key))
      schemas.push(...Object.values<object>(Object(value)))
    return value
  })

  const variants = schemas
    .filter(({ type, $ref }) => !type && !$ref)
    .map(({ anyOf }) => anyOf?.slice(1))
  expect([...mediaTypes]).toEqual(['application/json'])
  expect(variants).toEqual(variants.map(() => [{ type: 'null' }]))
  expect(jsonSchema(v.literal(true))).toEqual({ type: 'boolean', not: { const: false } })
})

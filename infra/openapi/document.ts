import type * as v from 'valibot'
import { entries } from '../../shared/contract.ts'
import { cursorAfter } from '../../shared/model/paging.ts'
import { partsOf } from '../../shared/pipeline/by-method.ts'
import type { AnyEntry } from '../../shared/pipeline/entry.ts'
import { reference, service } from '../../shared/service.ts'
import { guide } from './guide.ts'
import { componentHeaders } from './headers.ts'
import { responseObjects } from './response-objects.ts'
import { componentSchemas, exampleOf, type Json, jsonContent, jsonSchema } from './schemas.ts'

/**
 * The OpenAPI 3.1 document of a deployment with these base addresses, such as
 * `https://api.example.com/v1`. They are absolute, because most clients cannot use others. It has no
 * number that `JSON.parse` rounds.
 */
export const openApiDocument = (baseUrls: readonly string[]): Json => {
  const paths = pathItems()
  return {
    openapi: '3.1.1',
    info: {
      title: service.title,
      version: '1.0.0',
      // Short, because generators repeat it at the top of each file.
      description: `${reference.introduction} Every request needs an API key: \`Authorization: Bearer <API_KEY>\`.`,
    },
    servers: baseUrls.map((url) => ({ url })),
    tags: tagObjects(),
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'API key',
          description: 'An API key that was issued for this deployment.',
        },
      },
      headers: componentHeaders(paths),
      schemas: { ...componentSchemas(), Error: ERROR },
    },
  }
}

/** The document as JSON, with line breaks. */
export const openApiText = (baseUrls: readonly string[]): string =>
  `${JSON.stringify(openApiDocument(baseUrls), undefined, 2)}\n`

/** The OpenAPI operation object of an entry. */
export const operationObject = (id: string, entry: AnyEntry): Json => ({
  operationId: id,
  summary: entry.summary,
  description: operationText(entry),
  tags: [entry.tag],
  ...(entry.stability && {
    'x-stability': entry.stability,
    'x-badges': [{ name: entry.stability }], // Shown by the page.
  }),
  ...(entry.deprecated && { deprecated: true, 'x-sunset': day(entry.deprecated.sunset) }),
  parameters: parameterObjects(entry),
  requestBody: entry.body && {
    required: true,
    content: jsonContent(jsonSchema(entry.body), exampleOf(entry.body)),
  },
  responses: responseObjects(entry),
})

const tagObjects = (): Json[] => {
  const names = new Set(Object.values(entries).map(({ tag }) => tag))
  const descriptions: Record<string, string> = reference.tags
  const own = Array.from(names, (name) => ({ name, description: descriptions[name] }))
  return [...own, { name: 'Guide', description: guide }]
}

/** The operations of the contract by path and method. */
const pathItems = (): Json => {
  const items: Record<string, Json> = {}
  for (const [id, entry] of Object.entries(entries)) {
    const { path, method } = entry
    items[path] = { ...items[path], [method.toLowerCase()]: operationObject(id, entry) }
  }
  return items
}

/** At most 300 characters, because agents cut the rest off. */
const operationText = ({ description, scope, deprecated, stability }: AnyEntry): string => {
  const parts = [description, `Needs the scope \`${scope}\`.`]
  if (stability) parts.push(`Marked as ${stability}: may change or be removed without notice.`)
  if (deprecated)
    parts.push(
      `Deprecated: will be removed on ${day(deprecated.sunset)}. ` +
        `Use \`${deprecated.successor}\` instead.`,
    )
  return parts.join('\n\n')
}

const day = (date: Date): string => date.toISOString().slice(0, 10)

const parameterObjects = (entry: AnyEntry): Json[] => {
  const { params, query, headers } = partsOf(entry)
  const objects: Json[] = []
  for (const [location, schemas] of Object.entries({ path: params, query, header: headers }))
    for (const schema of schemas)
      for (const [name, field] of Object.entries(schema.entries))
        objects.push(parameterObject(location, name, field))
  return objects
}

const parameterObject = (location: string, name: string, field: v.ObjectEntries[string]): Json => {
  const isRequired = field.type !== 'optional'
  const { description, ...schema } = jsonSchema(field)
  return {
    name,
    in: location,
    required: isRequired,
    description,
    schema,
    example: isRequired ? exampleOf(field) : HARMLESS[name],
  }
}

// Postman and other tools send each optional parameter that has an example, and Postman invents one
// for the others. These two are valid, and change nothing.
const HARMLESS: Record<string, unknown> = {
  cursor: cursorAfter(Number.MAX_SAFE_INTEGER),
  'If-Match': '*',
}

const ERROR = {
  type: 'object',
  description: 'The body of every error response.',
  required: ['code', 'message', 'status'],
  additionalProperties: false,
  properties: {
    code: {
      type: 'string',
      pattern: '^[a-z_]+$',
      description: 'The reason phrase of the HTTP status in snake_case, such as `not_found`.',
    },
    message: { type: 'string', description: 'What is wrong, and how to fix it.' },
    status: {
      type: 'integer',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      description: 'The HTTP status.',
    },
  },
}

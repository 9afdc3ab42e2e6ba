import type * as v from 'valibot'
import { contract, type ObjectSchema, type Operation, type OperationId, operationIds } from '../../shared/contract.ts'
import { stringifyJson } from '../../shared/model/json.ts'
import { componentHeaders, responsesOf } from './responses.ts'
import { componentSchemas, exampleOf, type Json, jsonSchemaOf } from './schemas.ts'
import { descriptions, introduction, meanings, summaries } from './words.ts'

/** The interface as an OpenAPI 3.1 document, made from the contract. A `bigint` in it is a number. */
export const openApiDocument = (): Json => ({
  openapi: '3.1.1',
  info: {
    title: 'Pet Store',
    version: '1.0.0',
    description: introduction,
    license: { name: 'UNLICENSED', identifier: 'LicenseRef-UNLICENSED' }, // As package.json has it: all rights reserved.
  },
  servers,
  tags: [{ name: 'Pets', description: 'The pets of the catalogue.' }],
  security: [{ apiKey: [] }],
  paths: Object.fromEntries(
    [...Map.groupBy(operationIds, (id) => contract[id].path)].map(([path, ids]) => [
      path,
      Object.fromEntries(ids.map((id) => [contract[id].method.toLowerCase(), operation(id, contract[id])])),
    ]),
  ),
  components: {
    securitySchemes: {
      apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'API key', description: 'An API key of the deployment.' },
    },
    headers: componentHeaders(),
    schemas: { ...componentSchemas(), Error: ERROR },
  },
})

const operation = (id: OperationId, row: Operation): Json => ({
  operationId: id,
  summary: summaries[id],
  description: [descriptions[id], row.deprecated && farewell(row.deprecated)].filter(Boolean).join('\n\n') || undefined,
  tags: ['Pets'],
  ...(row.deprecated && { deprecated: true, 'x-sunset': row.deprecated.sunset.toISOString().slice(0, 10) }),
  parameters: parametersOf(row),
  ...(row.body && {
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { ...jsonSchemaOf(row.body), ...KEYS }, ...exampleOf(row.body) } },
    },
  }),
  responses: responsesOf(row),
})

/** The parser of bodies refuses this key, since JavaScript could take it for more than a name. */
const KEYS = { propertyNames: { not: { const: '__proto__' } } }

const farewell = ({ sunset, successor }: NonNullable<Operation['deprecated']>): string =>
  `Deprecated, and removed on ${sunset.toUTCString().slice(5, 16)}. Use \`${successor}\` instead.`

/** Interface, section 2. */
const ERROR = {
  type: 'object',
  description: 'The body of every error.',
  required: ['code', 'message', 'status'],
  additionalProperties: false,
  properties: {
    code: { type: 'string', pattern: '^[a-z_]+$', description: 'The HTTP reason in snake_case, for programs.' },
    message: { type: 'string', description: 'What was wrong, what is allowed and what to do, for people.' },
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status of the response.' },
  },
}

/** The document as text. */
export const openApiText = (): string => `${stringifyJson(openApiDocument(), 2)}\n`

/** The parameters of an operation: in its path, its query and its headers. */
export const parametersOf = ({ params, query, headers }: Operation): Json[] => [
  ...inPlace('path', params),
  ...inPlace('query', query),
  ...inPlace('header', headers),
]

const inPlace = (place: string, schema: ObjectSchema | undefined): Json[] =>
  Object.entries(schema?.entries ?? {}).map(([name, entry]) => ({
    name,
    in: place,
    required: entry.type !== 'optional',
    description: meanings[name],
    schema: jsonSchemaOf(entry),
    ...exampleOf(entry),
    ...leftOut(entry),
  }))

/** Of a choice that need not be made, the console of the page would send the first; a list would seem to lack pets. */
const leftOut = (entry: v.GenericSchema): Json => {
  const { wrapped, default: value } = Object(entry)
  if (value !== undefined || !wrapped?.options) return {}
  return { examples: { default: { value: wrapped.options[0], 'x-disabled': true } } }
}

/** Where the API is: the deployment that serves the document, and those that `cdk deploy` makes. */
export const servers: Json[] = [
  { url: '/v1', description: 'The deployment that serves this document' },
  deployed('Production', 'PetStoreProduction'),
  deployed('Staging', 'PetStoreStaging'),
]

function deployed(name: string, stack: string): Json {
  return {
    url: 'https://{api}.execute-api.{region}.amazonaws.com/v1',
    description: name,
    variables: {
      api: { default: 'abcdef1234', description: `In the output BaseUrl of the stack ${stack}` },
      region: { default: 'us-east-1', description: 'The region of AWS that it was deployed to' },
    },
  }
}

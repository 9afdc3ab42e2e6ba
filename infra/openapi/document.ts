import type * as v from 'valibot'
import {
  contract,
  type ObjectSchema,
  type Operation,
  type OperationId,
  operationIds,
  partsOf,
} from '../../shared/contract.ts'
import { stringifyJson } from '../../shared/model/json.ts'
import { service } from '../../shared/service.ts'
import {
  commonParameterDescriptions,
  descriptions,
  introduction,
  parameterDescriptions,
  tagDescriptions,
} from './descriptions.ts'
import { componentHeaders, responsesOf } from './responses.ts'
import { componentSchemas, exampleOf, type Json, jsonSchemaOf } from './schemas.ts'

/** The interface as an OpenAPI 3.1 document, generated from the contract. A `bigint` in it stands for a number. */
export const openApiDocument = (): Json => ({
  openapi: '3.1.1',
  info: {
    title: service.title,
    version: '1.0.0',
    description: introduction,
    contact: { name: 'The administrator of this service' },
  },
  servers,
  tags: [...new Set(operationIds.map((id) => contract[id].tag))].map(tagObject),
  security: [{ apiKey: [] }],
  paths: Object.fromEntries(
    [...Map.groupBy(operationIds, (id) => contract[id].path)].map(([path, ids]) => [
      path,
      Object.fromEntries(ids.map((id) => [contract[id].method.toLowerCase(), operationObject(id, contract[id])])),
    ]),
  ),
  components: {
    securitySchemes: {
      apiKey: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'API key',
        description: 'An API key that was issued for this deployment.',
      },
    },
    headers: componentHeaders(),
    schemas: { ...componentSchemas(), Error: ERROR },
  },
})

/** The document as text. */
export const openApiText = (): string => `${stringifyJson(openApiDocument(), 2)}\n`

/** The parameters of an operation in its path, its query and its headers. */
const parametersOf = (id: string, operation: Operation): Json[] => {
  const { params, query, headers } = partsOf(operation)
  const meanings = { ...commonParameterDescriptions, ...parameterDescriptions[id as OperationId] }
  return [
    ...parametersIn('path', params, meanings),
    ...parametersIn('query', query, meanings),
    ...parametersIn('header', headers, meanings),
  ]
}

/** The base addresses of the API: the deployment that serves the document first, then those that `cdk deploy` creates. */
export const servers: Json[] = [
  { url: service.basePath, description: 'The deployment that serves this document' },
  deployed('Production', `${service.stack}Production`),
  deployed('Staging', `${service.stack}Staging`),
]

function deployed(name: string, stack: string): Json {
  return {
    url: `https://{api}.execute-api.{region}.amazonaws.com${service.basePath}`,
    description: name,
    variables: {
      api: { default: 'abcdef1234', description: `The API id, from the output BaseUrl of the stack ${stack}` },
      region: { default: 'us-east-1', description: 'The AWS region of the deployment' },
    },
  }
}

/** An operation, by its entry in the contract. */
export const operationObject = (id: string, operation: Operation): Json => ({
  operationId: id,
  summary: operation.summary,
  description: descriptionOf(id, operation),
  tags: [operation.tag],
  ...(operation.stability && {
    'x-stability': operation.stability,
    'x-badges': [{ name: operation.stability }], // Shown by the page.
  }),
  ...(operation.deprecated && {
    deprecated: true,
    'x-sunset': operation.deprecated.sunset.toISOString().slice(0, 10),
  }),
  parameters: parametersOf(id, operation),
  ...(operation.body && { requestBody: { required: true, content: jsonBody(operation.body) } }),
  responses: responsesOf(operation),
})

const tagObject = (name: string): Json => ({ name, description: tagDescriptions[name] })

const descriptionOf = (id: string, { scope, deprecated, stability }: Operation): string => {
  const access = `Needs an API key with the scope \`${scope}\`.`
  const warning = stability && `This operation is marked as ${stability}: it may change or be removed without notice.`
  const removal = deprecated?.sunset.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
  const notice =
    deprecated &&
    `This operation is deprecated and will be removed on ${removal}. Use \`${deprecated.successor}\` instead.`
  return [descriptions[id as OperationId], access, warning, notice].filter(Boolean).join('\n\n')
}

// Only one media type, because generators make a type, or a method, of each.
const jsonBody = (schema: ObjectSchema): Json => ({
  'application/json': {
    // The body parser rejects the key `__proto__`, which can change the prototype of a JavaScript object.
    schema: { ...jsonSchemaOf(schema), propertyNames: { not: { const: '__proto__' } } },
    ...exampleOf(schema),
  },
})

const parametersIn = (location: string, schema: ObjectSchema | undefined, meanings: Record<string, string>): Json[] =>
  Object.entries(schema?.entries ?? {}).map(([name, entry]) => {
    const { description: rule, ...json } = jsonSchemaOf(entry) // The rule says in words what the JSON Schema says.
    return {
      name,
      in: location,
      required: entry.type !== 'optional',
      description: meanings[name] ?? rule,
      ...(json.type === 'array' && { style: 'form', explode: true }), // It may be repeated.
      schema: json,
      ...exampleOf(entry),
      ...disabledExample(entry),
    }
  })

/**
 * Keeps the console of the page from sending the first value of an optional enumeration by default: the list would then
 * seem to lack pets.
 */
const disabledExample = (entry: v.GenericSchema): Json => {
  const { wrapped, default: value } = Object(entry)
  if (value !== undefined || !wrapped?.options) return {}
  return { examples: { default: { value: wrapped.options[0], 'x-disabled': true } } }
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
      description: 'The machine-readable error code: the reason phrase of the HTTP status in snake_case.',
    },
    message: {
      type: 'string',
      description: 'The human-readable description of the error: what is wrong and how to fix it.',
    },
    status: {
      type: 'integer',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      description: 'The HTTP status code of the response.',
    },
  },
}

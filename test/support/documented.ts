import { type Schema, Validator } from '@cfworker/json-schema'
import type { Received, Sent } from './http.ts'

/** The parts of an OpenAPI document that are read here. */
export type OpenApi = {
  paths: Record<string, Record<string, { responses: Record<string, Described> }>>
  components: { headers: Record<string, Header>; schemas: Record<string, Schema> }
}

type Described = {
  headers?: Record<string, { $ref: string }>
  content?: Record<string, { schema: Schema }>
}
type Header = { required?: boolean; schema: Schema }

/**
 * How a response differs from the document; empty if it does not, or if the document has no
 * operation for the request.
 */
export const differences = (openApi: OpenApi, request: Sent, response: Received): string[] => {
  const operation = operationFor(openApi, request)
  if (!operation) return []
  const described = operation.responses[response.status]
  if (!described) return [`The status ${response.status} is not documented.`]
  return [
    ...headerDifferences(openApi, described, response),
    ...bodyDifferences(openApi, described, response),
  ]
}

const operationFor = ({ paths }: OpenApi, { method = 'GET', path = '' }: Sent) => {
  const sent = path.replace(/\?.*/s, '').replaceAll(/\/+/g, '/').replace(/\/$/, '')
  const isSent = (template: string) =>
    new RegExp(`^${template.replaceAll(/{\w+}/g, '[^/]+')}$`).test(sent)
  return paths[Object.keys(paths).find(isSent) ?? '']?.[method.toLowerCase()]
}

const headerDifferences = (
  openApi: OpenApi,
  { headers = {} }: Described,
  response: Received,
): string[] =>
  Object.keys(headers).flatMap((name) => {
    const header = openApi.components.headers[name]
    const value = response.headers[name.toLowerCase()]
    if (value === undefined) return header?.required ? [`The header ${name} is missing.`] : []
    return schemaErrors(openApi, header?.schema ?? false, value).map((error) => `${name}: ${error}`)
  })

const bodyDifferences = (
  openApi: OpenApi,
  { content }: Described,
  { headers, text, body }: Received,
): string[] => {
  if (!content) return text === '' ? [] : ['A body is not documented.']
  const type = headers['content-type'] ?? ''
  const described = content[type]
  return described
    ? schemaErrors(openApi, described.schema, body)
    : [`The content type "${type}" is not documented.`]
}

// The numbers in a body are parsed as doubles here. Other tests compare their digits.
const schemaErrors = (
  { components: { schemas } }: OpenApi,
  schema: Schema | boolean,
  value: unknown,
): string[] => {
  const root = typeof schema === 'boolean' ? schema : { ...schema, components: { schemas } }
  const { errors } = new Validator(strict(root), '2020-12').validate(value)
  return errors.slice(-1).map((innermost) => `${innermost.instanceLocation} ${innermost.error}`)
}

/** The schema, but an object has no other fields: clients may get some one day, not by mistake. */
const strict = (schema: Schema | boolean): Schema | boolean =>
  JSON.parse(JSON.stringify(schema), (_key, part) =>
    Object(part).properties ? { ...Object(part), additionalProperties: false } : part,
  ) as Schema | boolean // Only `additionalProperties` is new.

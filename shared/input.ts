import * as v from 'valibot'
import { contract, type Input, type ObjectSchema, type Operation, type OperationId } from './contract.ts'
import { type Event, headerValues } from './http.ts'
import { badRequest, notFound } from './model/api-error.ts'

/**
 * Parses the input of an operation against its entry in the contract.
 *
 * @param event a request that has passed `jsonBody`, if the operation has a body
 * @throws ApiError 404 for an invalid path parameter; 400 that names every invalid parameter, header or field
 */
export const inputOf = <Id extends OperationId>(id: Id, event: Event): Input<Id> => {
  const { params, query, headers, body }: Operation = contract[id]
  return {
    ...(params && parse(params, event.pathParameters ?? {}, notFound)),
    ...(query && parse(query, queryOf(event), badRequestFor('parameter'))),
    ...(headers && parse(headers, headersOf(event, headers), badRequestFor('header'))),
    ...(body && parse(body, event.body, badRequest)),
  } as Input<Id> // The type `Operation` no longer says which entry this is.
}

/** The fields of `schema` in order, each with its rule: `name must be …`. */
export const fieldRules = (schema: ObjectSchema): [field: string, rule: string][] =>
  Object.entries(schema.entries).map(([field, entry]) => [field, `${field} must be ${descriptionOf(entry)}`])

const descriptionOf = (schema: v.ObjectEntries[string]): string | undefined =>
  v.getDescription(schema) ?? ('wrapped' in schema ? `${descriptionOf(schema.wrapped)}, or omitted` : undefined)

const parse = (schema: ObjectSchema, input: unknown, error: (message: string) => Error): object => {
  const { success, output, issues } = v.safeParse(schema, input)
  if (success) return output
  const invalid = new Set(issues.map(({ path }) => path?.[0]?.key))
  const rules = fieldRules(schema).filter(([field]) => invalid.has(field))
  const ofWhole = issues.filter(({ path }) => !path).map(({ message }) => message)
  throw error(`${[...rules.map(([, rule]) => rule), ...ofWhole].join('; ')}.`)
}

const badRequestFor = (part: string) => (message: string) => badRequest(`${message} Give each ${part} once.`)

const queryOf = (event: Event): object => {
  const parameters = Object.entries(event.multiValueQueryStringParameters ?? {})
  return Object.fromEntries(parameters.map(([name, values]) => [name, onlyOne(values)]))
}

/** The headers that the schema has; all others are ignored. */
const headersOf = (event: Event, { entries }: ObjectSchema): object =>
  Object.fromEntries(Object.keys(entries).map((name) => [name, onlyOne(headerValues(event, name.toLowerCase()))]))

/** Repeated values stay a list, which every schema rejects. */
const onlyOne = (values: string[] = []): unknown => (values.length > 1 ? values : values[0])

import * as v from 'valibot'
import { contract, type Input, type ObjectSchema, type Operation, type OperationId } from './contract.ts'
import { type Event, headerValues } from './http.ts'
import { badRequest, notFound } from './model/api-error.ts'

/**
 * The input of an operation, parsed against its row of the contract.
 *
 * @param event a request whose body, if the operation takes one, is a JSON object already
 * @throws ApiError 404 where a path parameter names nothing; 400 that names every wrong parameter, header or field
 */
export const inputOf = <Id extends OperationId>(id: Id, event: Event): Input<Id> => {
  const { params, query, headers, body }: Operation = contract[id]
  return {
    ...(params && parse(params, event.pathParameters ?? {}, notFound)),
    ...(query && parse(query, queryOf(event), (message) => badRequest(`${message} Give each parameter once.`))),
    ...(headers &&
      parse(headers, headersOf(event, headers), (message) => badRequest(`${message} Give each header once.`))),
    ...(body && parse(body, event.body, badRequest)),
  } as Input<Id> // Which row it was is lost on the way through `Operation`.
}

/** The fields of `schema`, in its order, each with its rule: `name must be …`. */
export const fieldRules = (schema: ObjectSchema): [field: string, rule: string][] =>
  Object.entries(schema.entries).map(([field, entry]) => [field, `${field} must be ${descriptionOf(entry)}`])

const descriptionOf = (schema: v.ObjectEntries[string]): string | undefined =>
  'wrapped' in schema ? `${descriptionOf(schema.wrapped)}, or omitted` : v.getDescription(schema)

const parse = (schema: ObjectSchema, input: unknown, error: (message: string) => Error): object => {
  const { success, output, issues } = v.safeParse(schema, input)
  if (success) return output
  const wrong = new Set(issues.map(({ path }) => path?.[0]?.key))
  const rules = fieldRules(schema).filter(([field]) => wrong.has(field))
  throw error(`${rules.map(([, rule]) => rule).join('; ')}.`)
}

const queryOf = (event: Event): object => {
  const given = Object.entries(event.multiValueQueryStringParameters ?? {})
  return Object.fromEntries(given.map(([name, values]) => [name, onlyOne(values)]))
}

/** The headers that the schema knows. */
const headersOf = (event: Event, { entries }: ObjectSchema): object => {
  const given = Object.keys(entries).map((name) => [name, headerValues(event, name.toLowerCase())] as const)
  return Object.fromEntries(
    given.filter(([, values]) => values.length > 0).map(([name, values]) => [name, onlyOne(values)]),
  )
}

/** What is given twice stays a list, which no schema takes. */
const onlyOne = (values: string[] = []): unknown => (values.length === 1 ? values[0] : values)

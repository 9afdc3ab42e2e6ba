import * as v from 'valibot'
import { contract, type Input, type OperationId, type Row } from './contract.ts'
import { badRequest, notFound } from './model/api-error.ts'
import { fieldRules, type ObjectSchema } from './model/takes.ts'
import type { Event } from './request.ts'

/**
 * The input of an operation, parsed against its row of the contract.
 *
 * @param event a request whose body, if the operation takes one, is a JSON object already
 * @throws ApiError 404 where a path parameter names nothing; 400 that names every wrong parameter or field
 */
export const inputOf = <Id extends OperationId>(id: Id, event: Event): Input<Id> => {
  const { params, query, body }: Row = contract[id]
  return {
    ...(params && parse(params, event.pathParameters ?? {}, notFound)),
    ...(query && parse(query, queryOf(event), (message) => badRequest(`${message} Give each parameter once.`))),
    ...(body && parse(body, event.body, badRequest)),
  } as Input<Id> // Which row it was is lost on the way through `Row`.
}

const parse = (schema: ObjectSchema, input: unknown, error: (message: string) => Error): object => {
  const { success, output, issues } = v.safeParse(schema, input)
  if (success) return output
  const wrong = new Set(issues.map(({ path }) => path?.[0]?.key))
  const rules = fieldRules(schema).filter(([field]) => wrong.has(field))
  throw error(`${rules.map(([, rule]) => rule).join('; ')}.`)
}

/** The parameters of the query. One that is given twice stays a list, which no schema takes. */
const queryOf = (event: Event): object => {
  const given = Object.entries(event.multiValueQueryStringParameters ?? {})
  return Object.fromEntries(given.map(([name, values]) => [name, values?.length === 1 ? values[0] : values]))
}

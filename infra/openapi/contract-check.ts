import { globSync, readFileSync } from 'node:fs'
import type * as v from 'valibot'
import { collections } from '../../shared/collections.ts'
import { entries } from '../../shared/contract.ts'
import { fieldDescription, fieldRule } from '../../shared/model/fields.ts'
import { PATH_PARAMETER, partsOf } from '../../shared/pipeline/by-method.ts'
import type { AnyEntry } from '../../shared/pipeline/entry.ts'
import { filters as declaredFilters } from '../../shared/service.ts'
import { jsonSchema, partsIn, responseSchema, type SchemaPart } from './schemas.ts'

type ByName<T> = Readonly<Record<string, T>>
type Stored = ByName<{ fields: v.ObjectEntries }>

/** Why the service would fail, or go wrong silently; `undefined` if it is sound. */
export const contractProblem = ({
  contract = entries as ByName<AnyEntry>,
  functions = functionTexts(),
  filters = declaredFilters as ByName<readonly string[]>,
  stored = collections as Stored,
} = {}): string | undefined => {
  const operations = Object.entries(contract)
  for (const [i, [id, entry]] of operations.entries()) {
    const problem =
      pathProblem(entry, operations.slice(0, i)) ??
      responseProblem(entry) ??
      fieldProblem(entry) ??
      listProblem(entry, filters)
    if (problem) return `${id} in shared/contract.ts ${problem}`
    const text = functions[id]
    if (text === undefined)
      return `functions/${id}.ts is missing. Create it: shared/contract.ts has the operation ${id}.`
    const [, called = id] = /= operation\(\s*'(\w+)'/.exec(text) ?? []
    if (called !== id) return `functions/${id}.ts calls operation('${called}'). Write '${id}'.`
  }
  const surplus = Object.keys(functions).find((id) => !Object.hasOwn(contract, id))
  if (surplus) return `functions/${surplus}.ts has the name of no operation in shared/contract.ts.`
  return filterProblem(filters, stored)
}

/** The texts of the functions, by operationId. */
const functionTexts = () => {
  const folder = new URL('../../functions/', import.meta.url)
  const textOf = (id: string) => readFileSync(new URL(`${id}.ts`, folder), 'utf8')
  const ids = globSync('*.ts', { cwd: folder }).map((file) => file.slice(0, -3))
  return Object.fromEntries(ids.map((id) => [id, textOf(id)]))
}

const pathProblem = (
  { method, path, params }: AnyEntry,
  earlier: [id: string, AnyEntry][],
): string | undefined => {
  const same = earlier.find(([, other]) => other.method === method && other.path === path)
  if (same) return `has the method and path of ${same[0]}: ${method} ${path}. Change one of them.`
  const names = Object.keys(params?.entries ?? {})
  const namesInPath = Array.from(path.matchAll(PATH_PARAMETER), ([, name]) => name)
  if (namesInPath.join() !== names.join())
    return `has the path ${path}, but its params are ${names.join(', ') || 'none'}. Make them equal.`
  return siblingProblem(path, earlier)
}

/** API Gateway refuses two names for a path parameter after the same parts. */
const siblingProblem = (path: string, earlier: [id: string, AnyEntry][]): string | undefined => {
  for (const { 0: parameter, index } of path.matchAll(PATH_PARAMETER)) {
    const parent = path.slice(0, index)
    const [id, sibling] = earlier.find(([, other]) => other.path.startsWith(`${parent}{`)) ?? []
    const other = sibling?.path.slice(index).split('/')[0] ?? parameter
    if (other !== parameter) return `has ${parameter} where ${id} has ${other}. Use one name.`
  }
  return undefined
}

/** A response is cut to the fields of its schema, because what else is stored may be secret. */
const responseProblem = (entry: AnyEntry): string | undefined => {
  const schema = responseSchema(entry)
  const [changing] = partsIn(schema, 'transformation')
  if (changing)
    return `has ${functionName(changing)} in its response, which has what is stored. Use it for requests only.`
  const open = partsIn(schema).find(isOpen)
  if (!open) return undefined
  return `has ${functionName(open)} in its response, which may show stored fields. Use v.object(), and arrays of it.`
}

const functionName = ({ reference }: SchemaPart): string => `v.${reference.name}()`

/** Whether a value may keep fields that the schema does not have. */
const isOpen = ({ type, options }: SchemaPart): boolean => {
  // Valibot leaves a value whole that fits no part of a union.
  const isOfObjects = partsIn(options).some((option) => option.type === 'object')
  return !CLOSED.includes(type) || (type === 'union' && isOfObjects)
}

const CLOSED = [
  ...['string', 'number', 'bigint', 'boolean', 'picklist', 'literal'],
  ...['object', 'array', 'optional', 'nullable', 'union'],
]

const fieldProblem = (entry: AnyEntry): string | undefined => {
  const requests = Object.values(partsOf(entry)).flat()
  for (const { entries } of requests)
    for (const [field, schema] of Object.entries(entries))
      if (!fieldRule(schema)) return `has the field ${field} without a rule. Add mustBe() to it.`
  for (const { entries = {} } of partsIn([requests, responseSchema(entry)]))
    for (const [field, schema] of Object.entries(entries))
      if (!fieldDescription(schema))
        return `has the field ${field} without a description. Add v.description() to it.`
  return undefined
}

/** A list is of one collection, and takes its filters only: no other parameter has an effect. */
const listProblem = (
  { pages, query, access }: AnyEntry,
  filters: ByName<readonly string[]>,
): string | undefined => {
  if (!pages) return undefined
  const lists = Object.entries(access).filter(([, given]) => [given].flat().includes('list'))
  const [table, other] = lists.map(([id]) => id)
  if (!table || other) return 'has pages. Let its access have list, for one collection.'
  const parameters = Object.keys(query?.entries ?? {})
  const unknown = parameters.find((name) => !filters[table]?.includes(name))
  const advice = `Add it to the filters of ${table} in shared/service.ts.`
  return unknown && `has the query parameter ${unknown}. ${advice}`
}

const filterProblem = (filters: ByName<readonly string[]>, stored: Stored): string | undefined => {
  for (const [name, fields] of Object.entries(filters))
    for (const field of fields)
      if (!fitsKey(stored[name]?.fields[field]))
        return (
          `${name} in shared/service.ts has the filter ${field}. Let it be a field with one ` +
          `value, which has at most ${KEY_CHARACTERS} characters if it is a text.`
        )
  return undefined
}

/** Whether each value of a field, if there is one, can be the key of an index. */
const fitsKey = (field: v.GenericSchema | undefined): boolean => {
  const { type, enum: values, maxLength = Infinity } = field ? jsonSchema(field, {}) : {}
  if (type === 'string') return values !== undefined || Number(maxLength) <= KEY_CHARACTERS
  return type === 'integer' || type === 'number' || type === 'boolean'
}

// A key has 2,048 bytes, a character up to four, and `#` and the shard follow the value.
const KEY_CHARACTERS = 500

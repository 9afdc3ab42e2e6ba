import { globSync } from 'node:fs'
import type * as v from 'valibot'
import { collections } from '../shared/collections.ts'
import { entries } from '../shared/contract.ts'
import { fieldDescription, fieldRule, wrappedSchema } from '../shared/model/fields.ts'
import { PATH_PARAMETER, partsOf } from '../shared/pipeline/by-method.ts'
import type { AnyEntry } from '../shared/pipeline/entry.ts'
import { filters as declaredFilters } from '../shared/service.ts'
import { referencePaths } from './platform/gateway.ts'

type Schema = v.ObjectEntries[string]
type ByName<T> = Readonly<Record<string, T>>
type Stored = ByName<{ fields: v.ObjectEntries }>

/** Why the service would fail, or go wrong silently; `undefined` if it is sound. */
export const contractProblem = ({
  contract = entries as ByName<AnyEntry>,
  files = globSync('*.ts', { cwd: new URL('../functions', import.meta.url) }),
  filters = declaredFilters as ByName<readonly string[]>,
  stored = collections as Stored,
} = {}): string | undefined => {
  const operations = Object.entries(contract)
  for (const [i, [id, entry]] of operations.entries()) {
    const problem =
      pathProblem(entry, operations.slice(0, i)) ??
      fieldProblem(entry) ??
      listProblem(entry, filters)
    if (problem) return `${id} in shared/contract.ts ${problem}`
    if (!files.includes(`${id}.ts`))
      return `functions/${id}.ts is missing. Create it: shared/contract.ts has the operation ${id}.`
  }
  const surplus = files.find((file) => !Object.hasOwn(contract, file.slice(0, -3)))
  if (surplus) return `functions/${surplus} has the name of no operation in shared/contract.ts.`
  return filterProblem(filters, stored)
}

const filterProblem = (filters: ByName<readonly string[]>, stored: Stored): string | undefined => {
  for (const [name, fields] of Object.entries(filters)) {
    // Variables and outputs of the stack are named after a collection.
    if (!/^[a-z][A-Za-z0-9]*$/.test(name))
      return `${name} in shared/service.ts must be a name of letters and digits, such as pets.`
    for (const field of fields) {
      const filter = `${name} in shared/service.ts has the filter ${field}`
      const schema = stored[name]?.fields[field]
      if (!schema || !hasOneValue(schema)) return `${filter}, which is no field with one value.`
      if (longestText(schema) > FILTER_CHARACTERS)
        return (
          `${filter}, whose text may be too long for a key of DynamoDB. ` +
          `Let it have at most ${FILTER_CHARACTERS} characters.`
        )
    }
  }
  return undefined
}

const pathProblem = (
  { method, path, params }: AnyEntry,
  earlier: [id: string, AnyEntry][],
): string | undefined => {
  if (!METHODS.includes(method)) return `needs a method: one of ${METHODS.join(', ')}.`
  if (!PATH.test(path))
    return (
      `has the path ${path}. Each of its parts must be a slash, and letters, digits, ., _ and - ` +
      'or a parameter such as {petId}.'
    )
  const same = earlier.find(([, other]) => other.method === method && other.path === path)
  if (same) return `has the method and path of ${same[0]}: ${method} ${path}. Change one of them.`
  if (Object.values<string>(referencePaths).includes(path))
    return `has the path ${path}, which is that of the API reference. Change it.`
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

// What API Gateway, URLs and the local server take literally. `.` and `..` are no names.
const PATH = /^(\/(?!\.+(\/|$))[\w.-]+|\/\{[A-Za-z]\w*\})+$/

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE']

const fieldProblem = (entry: AnyEntry): string | undefined => {
  const { params, query } = partsOf(entry)
  for (const { entries } of [...params, ...query])
    for (const [name, schema] of Object.entries(entries))
      if (!acceptsText(schema))
        return (
          `has the parameter ${name}, which cannot be text, as parameters are. Begin its schema ` +
          'with v.string() or v.picklist(), or use BooleanText or Int64Text.'
        )
  const requests = Object.values(partsOf(entry)).flat()
  for (const { entries } of requests)
    for (const [field, schema] of Object.entries(entries))
      if (!fieldRule(schema)) return `has the field ${field} without a rule. Add mustBe() to it.`
  const response = entry.pages ?? entry.returns
  const kind = response && openKind(response)
  if (kind)
    return (
      `has a response with a schema of the kind ${kind}, from which fields that are stored, but not in the ` +
      'schema, cannot be left out. Use v.object(), and arrays of it.'
    )
  for (const { entries = {} } of [...requests, objectIn(response)])
    for (const [field, schema] of Object.entries(entries))
      if (!fieldDescription(schema))
        return `has the field ${field} without a description. Add v.description() to it.`
  return undefined
}

/** The schema of the objects in a response: of a list, that of its items. */
const objectIn = (response: object = {}): { entries?: v.ObjectEntries } =>
  'item' in response ? Object(response.item) : response

/** The kind of a schema, or of one in it, that may let fields through that it does not have. */
const openKind = (schema: Schema): string | undefined => {
  const { type, item, entries = {}, options = [] }: Parts = schema
  if (SCALARS.includes(type)) return undefined
  // If no option of a union fits, Valibot returns the value as it is.
  if (type === 'union')
    return options.every((each) => SCALARS.includes(each.type)) ? undefined : type
  if (!['optional', 'nullable', 'array', 'object'].includes(type)) return type
  const inner = [wrappedSchema(schema), item, ...Object.values(entries)]
  return inner.map((each) => each && openKind(each)).find(Boolean)
}

type Parts = { type: string; item?: Schema; entries?: v.ObjectEntries; options?: Schema[] }

const SCALARS = ['string', 'number', 'bigint', 'boolean', 'picklist', 'literal']

/** A list is of one collection, and takes its filters only: no other parameter has an effect. */
const listProblem = (
  { pages, query, access }: AnyEntry,
  filters: ByName<readonly string[]>,
): string | undefined => {
  if (!pages) return undefined
  const lists = Object.entries(access).filter(([, given]) => [given].flat().includes('list'))
  const [table] = lists.length === 1 ? lists.flatMap(([id]) => id) : []
  if (table === undefined) return 'has pages. Let its access have list, for one collection.'
  const parameters = Object.keys(query?.entries ?? {})
  const unknown = parameters.find((name) => !filters[table]?.includes(name))
  if (unknown === undefined) return undefined
  return `has the query parameter ${unknown}. Add it to the filters of ${table} in shared/service.ts.`
}

const hasOneValue = (schema: Schema): boolean => {
  const wrapped = wrappedSchema(schema)
  return wrapped ? hasOneValue(wrapped) : !['array', 'object'].includes(schema.type)
}

/** The schemas that a schema is made of, if it is a union or may be absent. */
const variantsOf = (schema: Schema): Schema[] | undefined => {
  const wrapped = wrappedSchema(schema)
  if (wrapped) return [wrapped]
  return schema.type === 'union'
    ? (schema as v.UnionSchema<Schema[], undefined>).options
    : undefined
}

/** Whether a schema accepts some text. */
const acceptsText = (schema: Schema): boolean => {
  const variants = variantsOf(schema)
  if (variants) return variants.some(acceptsText)
  const { type, options = [], literal }: Constants = schema
  return type === 'string' || [...options, literal].some((value) => typeof value === 'string')
}

/** What a picklist and a literal have. */
type Constants = { type: string; options?: readonly unknown[]; literal?: unknown }

/** The longest free text that fits: `Infinity` without a limit, 0 if there is no v.string(). */
const longestText = (schema: Schema): number => {
  const variants = variantsOf(schema)
  if (variants) return Math.max(...variants.map(longestText))
  return schema.type === 'string' ? Math.min(...lengthLimits(schema)) : 0
}

/** The limits that the parts of a pipe set, in characters. */
const lengthLimits = (schema: object): number[] => {
  const { pipe = [], type, requirement, metadata }: Part = schema
  if (pipe.length > 0) return pipe.flatMap(lengthLimits)
  if (type === 'max_length') return [Number(requirement)]
  return metadata?.maxLength === undefined ? [] : [Number(metadata.maxLength)]
}

/** What a part of a pipe may have: a schema, `v.maxLength()` or `v.metadata()`. */
type Part = {
  pipe?: readonly object[]
  type?: string
  requirement?: unknown
  metadata?: { maxLength?: unknown }
}

// A key has 2,048 bytes, a character up to four, and `#` and the shard follow the value.
const FILTER_CHARACTERS = 500

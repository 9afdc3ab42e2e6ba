import * as v from 'valibot'
import type { StoredResource } from '../shared/data/collection.ts'
import { Int64 } from '../shared/model/int64.ts'
import type { Entry, ObjectSchema } from '../shared/pipeline/entry.ts'
import { collections, service } from '../shared/service.ts'
import { referencePaths } from './gateway.ts'

type Entries = Record<string, Pick<Entry, 'method' | 'path' | 'body'> & Partial<Pick<Entry, 'success'>>>

/**
 * Why a service would work on a developer's machine and fail at the deployment, or go wrong without a word; in one sentence.
 * `undefined` if it would not.
 */
export const problemOf = (
  contract: Entries,
  resources: Record<string, { collection: StoredResource }>,
): string | undefined => {
  if (!/^\/[\w-]+$/.test(service.basePath))
    return `The basePath ${service.basePath} is not one part, such as /v1, as a stage of API Gateway is.`
  const problems = [
    ...Object.entries(contract).map(([id, { method, body }]) => body && bodyProblem(id, body, method === 'PATCH')),
    ...Object.entries(resources).map(([id, { collection }]) => bodyProblem(id, v.object(collection.fields))),
    ...Object.entries(collections).map(([id, filters]) =>
      filterProblem(id, resources[id]?.collection.fields ?? {}, filters),
    ),
  ]
  return pathProblem(contract) ?? problems.find(Boolean)
}

/** What is wrong with the fields of a body, or of a resource. In `changes`, null removes a field. */
const bodyProblem = (id: string, { type, entries }: ObjectSchema, isChange = false): string | undefined => {
  if (type !== 'object') return `${id} has a body that is a v.${type}(). Use v.object(), which ignores unknown fields.`
  const problems = Object.entries(entries).map(([name, field]) => [name, fieldProblem(field, isChange)])
  const [name, problem] = problems.find(([, problem]) => problem) ?? []
  return problem && `${id} has the field ${name}, which ${problem}`
}

type Field = v.GenericSchema & {
  wrapped?: Field
  item?: Field
  default?: unknown
  options?: unknown
  pipe?: readonly Step[]
}
type Step = { kind: string; async?: boolean; pipe?: readonly Step[] }

const fieldProblem = (field: Field, isChange: boolean): string | undefined => {
  const { type, wrapped, item } = field
  if (isTransformed(field)) return 'is transformed. A field is stored as it was sent.'
  if (type.startsWith('null') && !isChange) return 'may be null. Use v.optional(): a change to null removes a field.'
  if (isChange && field.default !== undefined) return 'has a default, which each change would set.'
  if (typeof field.default === 'function') return 'has a default that is computed. Set the value in the function.'
  if (wrapped && /^((exact_)?optional|nullable|nullish)$/.test(type)) return fieldProblem(wrapped, isChange)
  if (type === 'array' && /^(string|picklist)$/.test(item?.type ?? '')) return item && fieldProblem(item, isChange)
  if (type === 'number' && [1e300, 1e-200, 2 ** 60].some((number) => v.is(field, number)))
    return 'accepts numbers that DynamoDB refuses or JavaScript rounds. Use Int64, Integer() or Decimal() of shared/model.'
  if (type === 'string' && ['\ud800', 'A long text: \ud800'].some((text) => v.is(field, text)))
    return 'accepts text that is no valid Unicode. Use Text() of shared/model.'
  if (/^(string|number|boolean|picklist|literal)$/.test(type) || field.options === Int64.options) return undefined
  return `is a v.${type}(). Use a text, number, time, picklist, boolean or list of texts, or a resource of its own.`
}

const isTransformed = ({ kind, async = false, pipe = [] }: Step): boolean =>
  async || kind === 'transformation' || pipe.some(isTransformed)

/** Index keys have at most 2048 bytes (DynamoDB, "Constraints"): the value, with up to four for a character, and the shard. */
const LONGEST_VALUE = 500

const filterProblem = (id: string, fields: Record<string, Field>, filters: readonly string[]): string | undefined => {
  const isTooLong = (field: Field) => ['x', '7'].some((digit) => v.is(field, digit.repeat(LONGEST_VALUE + 1)))
  const isList = ({ type, wrapped }: Field): boolean => (wrapped ? isList(wrapped) : type === 'array')
  const wrong = filters.find((name) => !fields[name] || isList(fields[name]) || isTooLong(fields[name]))
  return (
    wrong &&
    `Lists of ${id} cannot be filtered by ${wrong}: it is no field with a single value of at most ${LONGEST_VALUE} characters.`
  )
}

/** Why API Gateway would refuse a path (API Gateway developer guide, "Important notes"), or a `Location` lead nowhere. */
const pathProblem = (contract: Entries): string | undefined => {
  const reference: string[] = Object.values(referencePaths)
  const ids = new Map<string, string>()
  const parameters = new Map<string, string>()
  for (const [id, { method, path, success }] of Object.entries(contract)) {
    const sameRoute = ids.get(`${method} ${path}`)
    if (sameRoute) return `${id} has the method and path of ${sameRoute}: ${method} ${path}. Change one of them.`
    ids.set(`${method} ${path}`, id)
    if (reference.includes(path)) return `${id} has the path ${path}, but that is the API reference.`
    if (/^\/s?ping(\/|$)/.test(path))
      return `${id} has the path ${path}, but API Gateway reserves /ping and /sping for its health check.`
    if (path.startsWith('/{'))
      return `${id} has the path ${path}, but {proxy+}, which catches unknown paths, allows no parameter beside it.`
    // The path of an action is not that of a list.
    const list = success?.status === 201 && (success.location ?? (/\}\/[^/]+$/.test(path) && path))
    if (list && !Object.values(contract).some((other) => other.path.startsWith(`${list}/{`)))
      return `${id} creates below ${list}, but no operation has a path there. Add the path of the list of what it creates to success: location.`
    const parts = path.split('/')
    for (const [i, part] of parts.entries()) {
      if (i > 0 && !/^(\{[A-Za-z]\w*\}|[\w.:-]+)$/.test(part))
        return `${id} has the path ${path}, but "${part}" is no valid part.`
      if (!part.startsWith('{')) continue
      const parent = parts.slice(0, i).join('/')
      const sibling = parameters.get(parent) ?? part
      if (sibling !== part)
        return `${id} has the path ${path}, but another path has ${sibling} after ${parent}. Use one name.`
      parameters.set(parent, part)
    }
  }
  return undefined
}

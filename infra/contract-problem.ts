import type { GenericSchema, ObjectEntries } from 'valibot'
import type { StoredResource } from '../shared/data/collection.ts'
import type { Entry } from '../shared/pipeline/entry.ts'
import { collections, service } from '../shared/service.ts'
import { fieldProblem, filterProblem } from './field-problem.ts'
import { referencePaths } from './gateway.ts'
import { isPlain } from './kinds.ts'

const parts = ['params', 'query', 'headers', 'body'] as const

type CheckedEntry = Pick<Entry, 'method' | 'path' | (typeof parts)[number]> &
  Partial<Pick<Entry, 'success'>>
type CheckedResource = { collection: Pick<StoredResource, 'fields'> }

/** Why a service could not be deployed, or would go wrong silently; `undefined` if it is sound. */
export const contractProblem = (
  contract: Record<string, CheckedEntry>,
  resources: Record<string, CheckedResource>,
): string | undefined => {
  if (!/^\/[\w-]+$/.test(service.basePath))
    return `The basePath ${service.basePath} is not one part, such as /v1, as a stage of API Gateway is.`
  const operations = Object.entries(contract)
  for (const [i, [id, operation]] of operations.entries()) {
    const problem =
      pathProblem(operation, operations.slice(0, i)) ??
      locationProblem(operation, Object.values(contract)) ??
      requestProblem(operation)
    if (problem) return `${id} ${problem}`
  }
  for (const [id, { collection }] of Object.entries(resources)) {
    const problem = fieldProblem('field', collection.fields)
    if (problem) return `${id} ${problem}`
  }
  for (const [id, filters] of Object.entries(collections)) {
    const problem = filterProblem(filters, resources[id]?.collection.fields)
    if (problem) return `${id} ${problem}`
  }
  return undefined
}

/** Why API Gateway would refuse a path (API Gateway developer guide, "Important notes"). */
const pathProblem = (
  { method, path }: CheckedEntry,
  earlier: [id: string, CheckedEntry][],
): string | undefined => {
  const same = earlier.find(([, other]) => other.method === method && other.path === path)
  if (same) return `has the method and path of ${same[0]}: ${method} ${path}. Change one of them.`
  const reference: string[] = Object.values(referencePaths)
  if (reference.includes(path)) return `has the path ${path}, but that is the API reference.`
  if (/^\/s?ping(\/|$)/.test(path))
    return `has the path ${path}, but API Gateway reserves /ping and /sping for its health check.`
  if (path.startsWith('/{'))
    return `has the path ${path}, but {proxy+}, which catches unknown paths, allows no parameter beside it.`
  const wrong = path
    .split('/')
    .find((part, i) => i > 0 && !/^(\{[A-Za-z]\w*\}|[\w.:-]+)$/.test(part))
  if (wrong !== undefined) return `has the path ${path}, but "${wrong}" is no valid part.`
  for (const { 0: parameter, index } of path.matchAll(PARAMETERS)) {
    const parent = path.slice(0, index)
    const sibling = earlier.find(([, other]) => other.path.startsWith(`${parent}{`))
    const other = sibling?.[1].path.slice(index).split('/')[0] ?? parameter
    if (other !== parameter)
      return `has the path ${path}, but another path has ${other} after ${parent.slice(0, -1)}. Use one name.`
  }
  return undefined
}

const PARAMETERS = /\{\w+\}/g

/** Why the `location` of an entry would lead nowhere. */
const locationProblem = (
  { path, success }: CheckedEntry,
  operations: CheckedEntry[],
): string | undefined => {
  const location = success?.status === 201 && success.location
  if (!location) return undefined
  const unknown = location.match(PARAMETERS)?.find((parameter) => !path.includes(parameter))
  if (unknown) return `has the location ${location}, but its path has no ${unknown}.`
  const isBelow = (other: string) =>
    other.startsWith(`${location}/{`) && other.lastIndexOf('/') === location.length
  if (operations.some((other) => isBelow(other.path))) return undefined
  return `has the location ${location}, but no operation has that path and one parameter.`
}

/** Why a request could not be sent, or would be changed. */
const requestProblem = (operation: CheckedEntry): string | undefined => {
  for (const part of parts) {
    const schema: (GenericSchema & { entries: ObjectEntries }) | undefined = operation[part]
    if (!schema) continue
    if (!isPlain(schema, 'object'))
      return `has a ${part} that is not a v.object(), at most with checks.`
    const bodyPlace = operation.method === 'PATCH' ? 'change' : 'field'
    const problem = fieldProblem(part === 'body' ? bodyPlace : part, schema.entries)
    if (problem) return problem
  }
  return undefined
}

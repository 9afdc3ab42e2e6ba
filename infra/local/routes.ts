import { contract, type OperationId, operationIds } from '../../shared/contract.ts'
import { documentPaths } from './gateway-responses.ts'

/** A resource of the API, as API Gateway knows it: its template, the values in its braces, and its operations. */
export type Route = {
  resource: string
  pathParameters: Record<string, string> | null
  operations: Partial<Record<string, OperationId>>
}

const BASE = '/v1'

/** The resource that a request's path leads to; `undefined` where there is none. */
export const routeOf = (path: string): Route | undefined => {
  // As API Gateway does, slashes that were doubled behind the stage and one at the end do not count.
  const inside = path === BASE || path.startsWith(`${BASE}/`) ? path.slice(BASE.length) : undefined
  const parts = inside?.replace(/^\/+|\/$/g, '').split('/')
  const resource = parts && resources.find((template) => matches(template, parts))
  if (!parts || !resource) return undefined
  return { resource, pathParameters: parametersOf(resource, parts), operations: operationsOf(resource) }
}

/** The methods that a resource takes. */
export const methodsOf = ({ operations }: Route): string[] => [...Object.keys(operations), 'OPTIONS']

// What is spelled out goes before a parameter, as in API Gateway: `{` sorts behind every letter.
const resources = [...new Set([...Object.values(contract).map((row) => row.path), ...documentPaths])].sort()

const matches = (template: string, parts: string[]): boolean => {
  const expected = partsOf(template)
  return expected.length === parts.length && expected.every((part, i) => (nameOf(part) ? parts[i] : parts[i] === part))
}

const parametersOf = (template: string, parts: string[]): Record<string, string> | null => {
  const values = partsOf(template).flatMap((part, i) => {
    const name = nameOf(part)
    return name ? [[name, parts[i] ?? '']] : []
  })
  return values.length > 0 ? Object.fromEntries(values) : null
}

const operationsOf = (resource: string): Route['operations'] => {
  return Object.fromEntries(
    operationIds.filter((id) => contract[id].path === resource).map((id) => [contract[id].method, id] as const),
  )
}

const partsOf = (template: string): string[] => template.slice(1).split('/')

const nameOf = (part: string): string | undefined => /^\{(.+)\}$/.exec(part)?.[1]

import { contract, type OperationId, operationIds } from '../../shared/contract.ts'
import { service } from '../../shared/service.ts'
import { documentPaths } from './gateway-responses.ts'

/** A resource as API Gateway defines it: its path template, the values of its path parameters, and its operations. */
export type Route = {
  resource: string
  pathParameters: Record<string, string> | null
  operations: Partial<Record<string, OperationId>>
}

/** Finds the resource for the path of a request; `undefined` if there is none. */
export const routeOf = (path: string): Route | undefined => {
  // As in API Gateway, a trailing slash and repeated slashes after the stage are ignored.
  const inside =
    path === service.basePath || path.startsWith(`${service.basePath}/`)
      ? path.slice(service.basePath.length)
      : undefined
  const parts = inside?.replace(/^\/+|\/$/g, '').split('/')
  const resource = parts && resources.find((template) => matches(template, parts))
  if (!parts || !resource) return undefined
  return { resource, pathParameters: parametersOf(resource, parts), operations: operationsOf(resource) }
}

/** The methods that a resource allows. */
export const methodsOf = ({ operations }: Route): string[] => [...Object.keys(operations), 'OPTIONS']

// As in API Gateway, a literal part wins over a parameter: `{` sorts after every letter.
const resources = [...new Set([...Object.values(contract).map(({ path }) => path), ...documentPaths])].sort()

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

const operationsOf = (resource: string): Route['operations'] =>
  Object.fromEntries(operationIds.filter((id) => contract[id].path === resource).map((id) => [contract[id].method, id]))

const partsOf = (template: string): string[] => template.slice(1).split('/')

const nameOf = (part: string): string | undefined => /^\{(.+)\}$/.exec(part)?.[1]

import type { Operation } from '../../shared/contract.ts'
import { service } from '../../shared/service.ts'
import { documentPaths } from './gateway-responses.ts'

/** A resource as API Gateway defines it: its path template, the values of its path parameters, and its operations. */
export type Route<Id = string> = {
  resource: string
  pathParameters: Record<string, string> | null
  /** The ids of its operations by method. */
  operations: Partial<Record<string, Id>>
}

/** Returns a function that finds the resource for the path of a request; `undefined` if there is none. */
export const routesOf = <Id extends string>(contract: Record<Id, Pick<Operation, 'method' | 'path'>>) => {
  const ids = Object.keys(contract) as Id[] // `Object.keys` returns `string[]`.
  const resources = [...new Set([...ids.map((id) => contract[id].path), ...documentPaths])].sort(byParameters)
  const operationsOf = (resource: string): Route<Id>['operations'] =>
    Object.fromEntries(ids.filter((id) => contract[id].path === resource).map((id) => [contract[id].method, id]))

  return (path: string): Route<Id> | undefined => {
    if (path !== service.basePath && !path.startsWith(`${service.basePath}/`)) return undefined
    // As in API Gateway, a trailing slash and repeated slashes after the stage are ignored.
    const inside = path.slice(service.basePath.length).replace(/^\/+|\/$/g, '')
    for (const resource of resources) {
      const pathParameters = match(partsOf(resource), inside.split('/'))
      if (pathParameters)
        return { resource, pathParameters: orNull(pathParameters), operations: operationsOf(resource) }
    }
    return undefined
  }
}

/** The methods that a resource allows. */
export const methodsOf = ({ operations }: Route): string[] => [...Object.keys(operations), 'OPTIONS']

/** Sorts literal parts (0) before parameters (1), part by part, because API Gateway prefers them. */
const byParameters = (a: string, b: string): number => (order(a) < order(b) ? -1 : 1)

const order = (template: string): string =>
  partsOf(template)
    .map((part) => (nameOf(part) ? 1 : 0))
    .join('')

/** The values of the parameters in a template; `undefined` if the path does not match it. */
const match = (template: string[], path: string[]): Record<string, string> | undefined => {
  const isMatch =
    template.length === path.length && template.every((part, i) => path[i] && (nameOf(part) || part === path[i]))
  if (!isMatch) return undefined
  return Object.fromEntries(template.flatMap((part, i) => (nameOf(part) ? [[nameOf(part), path[i]]] : [])))
}

const orNull = (parameters: Record<string, string>) => (Object.keys(parameters).length > 0 ? parameters : null)

const partsOf = (template: string): string[] => template.slice(1).split('/')

const nameOf = (part: string): string | undefined => /^\{(.+)\}$/.exec(part)?.[1]

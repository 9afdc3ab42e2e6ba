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
  const templates = [...new Set([...ids.map((id) => contract[id].path), ...documentPaths])].sort(byParameters)
  const resources = templates.map((resource) => ({
    resource,
    pattern: patternOf(resource),
    operations: Object.fromEntries(
      ids.filter((id) => contract[id].path === resource).map((id) => [contract[id].method, id]),
    ),
  }))
  return (path: string): Route<Id> | undefined => {
    const found = resources.find(({ pattern }) => pattern.test(path))
    return found && { ...found, pathParameters: found.pattern.exec(path)?.groups ?? null }
  }
}

/** The methods that a resource allows. */
export const methodsOf = ({ operations }: Route): string[] => [...Object.keys(operations), 'OPTIONS']

/** Sorts literal parts (0) before parameters (1), part by part, because API Gateway prefers them. */
const byParameters = (a: string, b: string): number => (order(a) < order(b) ? -1 : 1)

const order = (template: string): string =>
  template
    .split('/')
    .map((part) => (part.startsWith('{') ? 1 : 0))
    .join('')

// As in API Gateway, a trailing slash and repeated slashes after the stage are ignored.
const patternOf = (template: string): RegExp => {
  const parts = template
    .slice(1)
    .replaceAll('.', '\\.')
    .replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  return new RegExp(`^${service.basePath}/+${parts}/?$`)
}

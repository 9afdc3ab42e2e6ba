/** The template of a path, and its parameters. */
export type FoundRoute = { resource: string; pathParameters: Record<string, string> | null }

/** Finds the template of a path; `undefined` if there is none. */
export type FindRoute = (path: string) => FoundRoute | undefined

/** Returns a function that finds the template of a path that starts with `basePath`. */
export const routeFinder = (basePath: string, templates: readonly string[]): FindRoute => {
  // API Gateway prefers literal parts, whose characters all sort before `{`.
  const resources = templates
    .toSorted()
    .map((resource) => ({ resource, pattern: pathPattern(basePath, resource) }))
  return (path) => {
    for (const { resource, pattern } of resources) {
      const match = pattern.exec(path)
      if (match) return { resource, pathParameters: match.groups ?? null }
    }
    return undefined
  }
}

// As in API Gateway, a trailing slash and repeated slashes after the stage are ignored.
const pathPattern = (basePath: string, template: string): RegExp => {
  const escaped = template.slice(1).replaceAll('.', '\\.')
  const parts = escaped.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  return new RegExp(`^${basePath}/+${parts}/?$`)
}

import { exact, randomText, writeJson } from './exact-json.ts'

/** How an operation is requested. Input that is neither a `{parameter}` of the path nor in the query is the body. */
export type Route = {
  method: string
  path: string
  query: string[]
  hasBody: boolean
  isKeyed: boolean
  status: number
  isList: boolean
}

/** A request to send, with the parameters in `path`. */
export type Request = { route: Route; path: string; headers: Record<string, string>; body: string | null }

/**
 * Creates the request of a call, with a random idempotency key unless one is given.
 *
 * @throws RangeError for a `number` that may already have been rounded
 */
export const requestOf = (route: Route, input: object, idempotencyKey: string | undefined): Request => {
  const fields: Record<string, unknown> = { ...input }
  const take = (name: string): string => {
    const { [name]: value } = fields
    delete fields[name]
    return String(exact(value))
  }
  const path = route.path.replace(/\{(\w+)\}/g, (_, name) => segment(take(name)))
  const query = new URLSearchParams()
  for (const name of route.query) if (fields[name] !== undefined) query.set(name, take(name))
  return {
    route,
    path: `${path}?${query}`.replace(/\?$/, ''),
    headers: {
      ...(route.hasBody && { 'Content-Type': 'application/json' }),
      ...(route.isKeyed && { 'Idempotency-Key': keyOf(idempotencyKey ?? randomText()) }),
    },
    body: route.hasBody ? writeJson(fields) : null,
  }
}

// A segment such as `..` or the empty text would address another path. With a space before it, it is an unknown id.
const segment = (text: string): string => encodeURIComponent(text).replace(/^(?![\w-])/, '%20')

// A header cannot hold every text, and loses white space at its ends. A single quote mark is a key that the API refuses.
const keyOf = (idempotencyKey: string): string => (/^[!-~]*$/.test(idempotencyKey) ? idempotencyKey : '"')

import { randomText, refuseRounded, stringifyJson } from './exact-json.ts'

/** How an operation is requested. Input that is neither a `{parameter}` of the path nor in `query` or `headers` is the body. */
export type Route = {
  method: string
  path: string
  query: string[]
  headers: string[]
  hasBody: boolean
  status: number
  /** The body of a success. A resource has an `id`. */
  result: 'nothing' | 'list' | 'resource' | 'object'
  flags: Flag[]
}

/** The flags of an operation from which its methods follow: each adds one of the types below. */
export const flags = ['paged', 'idempotent', 'conditional'] as const

export type Flag = (typeof flags)[number]

/** The input of an operation whose result has pages. */
export type Paged = {
  /** The size of a page, an integer from 1 to 100. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of a page, after which the list continues. */
  cursor?: string | undefined
}

/** An option of a call that takes effect once, however often it is repeated with the same key and input within 24 hours. */
export type KeyedOptions = {
  /** Identifies the call (default: a random key). */
  idempotencyKey?: string | undefined
}

/** An option of a call that can depend on the revision of what it changes. */
export type ConditionalOptions = {
  /** `etagOf` the result of an earlier call. If the resource has changed since, the call throws a `precondition_failed`. */
  ifMatch?: string | undefined
}

/** A request to send: its path with parameters, and the rest as `fetch` takes it. */
export type Request = { route: Route; path: string; init: { method: string; headers: Headers; body: string | null } }

/**
 * Creates the request of a call, with a random idempotency key unless one is given. Throws a RangeError for a `number`
 * that may already have been rounded, and a TypeError for a value that a path or a header cannot hold.
 */
export const requestOf = (route: Route, input: object, options: KeyedOptions & ConditionalOptions = {}): Request => {
  const fields: Record<string, unknown> = { ...input }
  // A list has a pair for each of its values.
  const take = (name: string): [name: string, text: string][] => {
    const { [name]: value } = fields
    delete fields[name]
    return value === undefined ? [] : [value].flat().map((each) => [name, textOf(each)])
  }
  const path = route.path.replace(/\{(\w+)\}/g, (_, name) => segmentOf(name, take(name)[0]?.[1]))
  const query = new URLSearchParams(route.query.flatMap(take))
  const headers = new Headers(route.headers.flatMap(take))
  if (route.hasBody) headers.set('Content-Type', 'application/json')
  if (route.flags.includes('idempotent'))
    headers.set('Idempotency-Key', refuseInvisible('idempotencyKey', options.idempotencyKey ?? randomText()))
  if (route.flags.includes('conditional') && options.ifMatch !== undefined)
    headers.set('If-Match', refuseInvisible('ifMatch', options.ifMatch))
  const body = route.hasBody ? stringifyJson(fields) : null
  return { route, path: `${path}?${query}`.replace(/\?$/, ''), init: { method: route.method, headers, body } }
}

/** Returns `text`. Throws a TypeError if a header would lose a part of it, or cannot hold it. */
export const refuseInvisible = (name: string, text: string, hint = ''): string => {
  if (!/^[!-~]+$/.test(text ?? '')) throw new TypeError(`${name} must be a string of visible ASCII characters${hint}.`)
  return text
}

const textOf = (value: unknown): string => {
  refuseRounded(value)
  return String(value)
}

const segmentOf = (name: string, text = ''): string => {
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${name} must not be empty, "." or "..", which address other paths.`)
  return encodeURIComponent(text)
}

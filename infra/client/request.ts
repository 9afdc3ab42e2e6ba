import { checkNumber, randomText, stringifyJson } from './exact-json.ts'

/** How an operation is requested. `query`, `headers` and `body` are lists of names. */
export type Route = {
  method: string
  /** Relative to the base address, with a `{name}` for each path parameter. */
  path: string
  query: string[]
  headers: string[]
  body?: string[] | undefined
  status: number
  /** The body of a success. A resource has an `id`. */
  result: 'nothing' | 'list' | 'resource' | 'object'
  flags: Flag[]
}

/** The flags of an operation. Each gives its method more options or input. */
export const flags = ['paged', 'idempotent', 'conditional'] as const

export type Flag = (typeof flags)[number]

/** The input of an operation whose result has pages. */
export type Paged = {
  /** The size of a page, an integer from 1 to 100. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of a page, after which the list continues. */
  cursor?: string | undefined
}

/** Calls with the same key and input take effect once within 24 hours. */
export type KeyedOptions = {
  /** Identifies the call (default: a random key). */
  idempotencyKey?: string | undefined
}

/** An option of a call that can depend on the revision of what it changes. */
export type ConditionalOptions = {
  /**
   * `etagOf` an earlier result. If it has changed since, the call throws a `precondition_failed`.
   */
  ifMatch?: string | undefined
}

/** A request to send. `path` has the parameters; `init` is for `fetch`. */
export type Request = {
  route: Route
  path: string
  init: { method: string; headers: Headers; body: string | null }
}

/**
 * Creates the request of a call, with a random idempotency key unless one is given. Throws a
 * RangeError for a `number` that may be rounded, a TypeError for a value that cannot be sent.
 */
export const newRequest = (
  route: Route,
  input: object,
  options: KeyedOptions & ConditionalOptions = {},
): Request => {
  const { method, flags } = route
  const values: Record<string, unknown> = { ...input }
  const path = route.path.replace(/\{(\w+)\}/g, (_, name) => pathSegment(name, values[name]))
  const query = `${new URLSearchParams(namedTexts(route.query, values))}`
  const headers = new Headers(namedTexts(route.headers, values))
  const { idempotencyKey, ifMatch } = options
  if (flags.includes('idempotent'))
    headers.set('Idempotency-Key', visibleText('idempotencyKey', idempotencyKey ?? randomText()))
  if (flags.includes('conditional') && ifMatch !== undefined)
    headers.set('If-Match', visibleText('ifMatch', ifMatch))
  let body: string | null = null
  if (route.body) {
    headers.set('Content-Type', 'application/json')
    body = stringifyJson(Object.fromEntries(route.body.map((name) => [name, values[name]])))
  }
  return { route, path: query === '' ? path : `${path}?${query}`, init: { method, headers, body } }
}

/** Returns `text`. Throws a TypeError if a header would lose a part of it, or cannot hold it. */
export const visibleText = (name: string, text: string, hint = ''): string => {
  if (!/^[!-~]+$/.test(text))
    throw new TypeError(`${name} must be a string of visible ASCII characters${hint}.`)
  return text
}

const namedTexts = (names: string[], values: Record<string, unknown>) => {
  const pairs: [name: string, text: string][] = []
  for (const name of names) {
    const value = values[name]
    const list = Array.isArray(value) ? value : [value]
    for (const each of list) if (each !== undefined) pairs.push([name, checkedText(each)])
  }
  return pairs
}

const pathSegment = (name: string, value: unknown): string => {
  if (value === undefined || value === null)
    throw new TypeError(`${name} is missing. Pass it as { ${name}: … }.`)
  const text = checkedText(value)
  if (/^\.{0,2}$/.test(text))
    throw new TypeError(`${name} must not be empty, "." or "..", which address other paths.`)
  return encodeURIComponent(text)
}

const checkedText = (value: unknown): string => {
  checkNumber(value)
  return String(value)
}

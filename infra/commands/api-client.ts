import { setTimeout as pause } from 'node:timers/promises'
import { CommandError } from '../command-line.ts'
import { gatewayResponses } from '../platform/gateway.ts'
import { proxySentence } from '../proxy.ts'
import { printable } from './key-report.ts'

/** An API, how often to call it at most, and what tells the user that it is unavailable. */
export type ApiAccess = {
  baseUrl: string
  apiKey: () => Promise<string>
  perSecond: number
  signal: AbortSignal
  say: (line: string) => void
}

/**
 * A request below the base address: the status of a success, and those of errors that a retry would
 * not change. `retryUntil` is in milliseconds since 1970.
 */
type ApiRequest = {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
  success: number
  refusals: number[]
  retryUntil?: number
}
type ApiResponse = { status: number; headers: Headers; text: string; json: unknown }

/** Calls an API, and waits while it throttles, or is unavailable or behind a firewall. */
export class ApiClient {
  readonly #access: ApiAccess
  /** When the next request may begin, and the last one was served, by `performance.now()`. */
  #nextTurn = 0
  #servedAt = performance.now()
  #hasSaid = false

  constructor(access: ApiAccess) {
    this.#access = access
  }

  /**
   * Sends a request until the response is a success or a refusal; `undefined` if none is in time.
   * Throws a CommandError if the service does not accept the key, and the reason of the signal.
   */
  async send(request: ApiRequest): Promise<ApiResponse | undefined> {
    while (Date.now() < (request.retryUntil ?? Infinity)) {
      await this.#takeTurn()
      const received = await this.#attempt(request)
      this.#access.signal.throwIfAborted()
      if (typeof received === 'object' && isServed(received, request)) {
        this.#servedAt = performance.now()
        this.#hasSaid = false
        return received
      }
      this.#waitAfter(received)
    }
    return undefined
  }

  async #takeTurn(): Promise<void> {
    const { perSecond, signal } = this.#access
    const wait = () => this.#nextTurn - performance.now()
    for (let left = wait(); left > 0; left = wait())
      await pause(left, undefined, { signal }).catch(() => signal.throwIfAborted())
    // Timers are late: requests may make up for 0.1 s.
    this.#nextTurn = Math.max(this.#nextTurn, performance.now() - 100) + 1000 / perSecond
  }

  /** Returns a response, or why there is none. */
  async #attempt({ method, path, headers, body }: ApiRequest): Promise<ApiResponse | string> {
    const { baseUrl, apiKey, signal } = this.#access
    const own = { 'Content-Type': 'application/json', Authorization: `Bearer ${await apiKey()}` }
    try {
      const response = await fetch(baseUrl + path, {
        method,
        headers: { ...own, ...headers },
        body: body ?? null,
        redirect: 'manual', // The key goes to no other host.
        signal, // No time limit: API Gateway gives up after 29 s, and `fetch` after five minutes.
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: jsonOf(text) }
    } catch (error) {
      const { cause = error } = Object(error) // `fetch` says why in the cause.
      return `${cause}. ${proxySentence()}`.trim()
    }
  }

  /** Lets all requests wait as the response says, or the longer the longer none is served. */
  #waitAfter(received: ApiResponse | string): void {
    const now = performance.now()
    const down = now - this.#servedAt
    const isResponse = typeof received === 'object'
    const told = isResponse ? retryAfter(received.headers) : undefined
    const grown = Math.min(100 + down / 2, 30_000) * (0.5 + Math.random() / 2)
    this.#nextTurn = Math.max(this.#nextTurn, now + (told ?? grown))
    if (down < 10_000 || this.#hasSaid) return
    this.#hasSaid = true
    const reason = isResponse ? `${received.status} ${received.text.slice(0, 200)}` : received
    this.#access.say(`Waiting for the API: ${printable(reason)}`)
  }
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// What a firewall or a proxy sends says nothing of the request, whatever its status.
const isServed = ({ status, json }: ApiResponse, { success, refusals }: ApiRequest): boolean => {
  if (status < 400) return status === success && json !== undefined
  const { status: own, message } = Object(json)
  if (own !== status || message === gatewayResponses.forbidden.message) return false
  if (status === 401 || status === 403)
    throw new CommandError(`The API does not accept the key of this command: ${message}`)
  return refusals.includes(status)
}

/** The pause that a response asks for, in milliseconds (RFC 9110, section 10.2.3). */
const retryAfter = (headers: Headers): number | undefined => {
  const text = headers.get('Retry-After') ?? ''
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(wait) ? undefined : wait
}

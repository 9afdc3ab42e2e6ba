import { setTimeout as pause } from 'node:timers/promises'
import { jsonOf } from '../../shared/model/json.ts'
import { CommandError } from '../command-line.ts'
import { gatewayResponses } from '../platform/gateway.ts'
import { proxySentence } from '../proxy.ts'
import { printable } from './key-report.ts'
import type { Progress } from './progress.ts'

/** An API, how often to call it at most, and what tells the user that it is unavailable. */
type ApiAccess = {
  baseUrl: string
  apiKey: () => Promise<string>
  perSecond: number
  signal: AbortSignal
  progress: Progress
}

/**
 * A request below the base address. A response with one of `statuses` is final, and none is sent
 * after `retryUntil`, in milliseconds since 1970.
 */
type ApiRequest = {
  path: string
  method: string
  headers?: Record<string, string>
  body?: string
  statuses: number[]
  retryUntil?: number
}

/** With the status 0, there was no response, and `text` says why. */
type ApiResponse = { status: number; headers: Headers; text: string; json: unknown }

/** Calls an API, and waits while it throttles, or is unavailable or behind a firewall. */
export class ApiClient {
  readonly #access: ApiAccess
  #nextTurn = 0 // As of `performance.now()`, like all times here but `retryUntil`.
  #servedAt = performance.now()
  #hasSaid = false

  constructor(access: ApiAccess) {
    this.#access = access
  }

  /**
   * Sends a request until the response is final, or it is too late. Throws a CommandError if the
   * service does not accept the key, and the reason of the signal.
   */
  async send(request: ApiRequest): Promise<ApiResponse> {
    for (;;) {
      await this.#takeTurn()
      const apiKey = await this.#access.apiKey()
      // Only now, because a turn may come hours later.
      if (Date.now() >= (request.retryUntil ?? Infinity)) return noResponse('It is too late.')
      const response = await this.#attempt(request, apiKey)
      this.#access.signal.throwIfAborted()
      if (isFinal(response, request.statuses)) {
        this.#servedAt = performance.now()
        this.#hasSaid = false
        return response
      }
      this.#waitAfter(response)
    }
  }

  async #takeTurn(): Promise<void> {
    const { perSecond, signal } = this.#access
    const wait = () => this.#nextTurn - performance.now()
    for (let left = wait(); left > 0; left = wait())
      await pause(left, undefined, { signal }).catch(() => signal.throwIfAborted())
    // Timers are late: requests may make up for 0.1 s.
    this.#nextTurn = Math.max(this.#nextTurn, performance.now() - 100) + 1000 / perSecond
  }

  async #attempt(request: ApiRequest, apiKey: string): Promise<ApiResponse> {
    const { baseUrl, signal } = this.#access
    const own = { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` }
    const headers = { ...own, ...request.headers }
    try {
      // The key goes to no other host. No time limit: API Gateway gives up after 29 s.
      const options = { ...request, headers, signal, redirect: 'manual' as const }
      const response = await fetch(baseUrl + request.path, options)
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: jsonOf(text) }
    } catch (error) {
      const { cause = error } = Object(error) // `fetch` says why in the cause.
      return noResponse(`${cause}. ${proxySentence()}`.trim())
    }
  }

  /** Lets all requests wait as the response says, or the longer the longer none is served. */
  #waitAfter({ status, headers, text }: ApiResponse): void {
    const now = performance.now()
    const down = now - this.#servedAt
    const grown = Math.min(100 + down / 2, 30_000) * (0.5 + Math.random() / 2)
    const wait = retryAfter(headers) ?? grown
    this.#nextTurn = Math.max(this.#nextTurn, now + wait)
    if (down + wait < 10_000 || this.#hasSaid) return
    this.#hasSaid = true
    const reason = status === 0 ? text : `${status} ${text.slice(0, 200)}`
    this.#access.progress.say(`Waiting for the API: ${printable(reason)}`)
  }
}

const noResponse = (text: string): ApiResponse => {
  return { status: 0, headers: new Headers(), text, json: undefined }
}

/** What a firewall or a proxy sends says nothing of the request, whatever its status. */
const isFinal = ({ status, json }: ApiResponse, statuses: number[]): boolean => {
  const { status: own, message } = Object(json)
  if (json === undefined || (status >= 400 && own !== status)) return false
  if (message === gatewayResponses.forbidden.message) return false
  if (status === 401 || status === 403)
    throw new CommandError(`The API does not accept the key of this command: ${message}`)
  return statuses.includes(status)
}

const HOUR_MS = 3_600_000

/** The pause that a response asks for, in milliseconds (RFC 9110, section 10.2.3). */
const retryAfter = (headers: Headers): number | undefined => {
  const text = headers.get('Retry-After') ?? ''
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(wait) ? undefined : Math.min(wait, HOUR_MS)
}

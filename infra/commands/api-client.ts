import { jsonOf } from '../../shared/model/json.ts'
import { CommandError, printable } from '../command-line.ts'
import { gatewayResponses } from '../platform/gateway.ts'
import { Pace } from './pace.ts'
import type { Progress } from './progress.ts'

/** How to call an API. `apiKey` is called before each request; an empty key is not sent. */
export type ApiAccess = {
  baseUrl: string
  apiKey: () => Promise<string>
  perSecond: number
  signal: AbortSignal
  /** Says that the API is unavailable. */
  progress: Progress
}

/** A request below the base address. */
type ApiRequest = {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string | undefined
}

/** Without a response, `status` is 0, and `text` says why. */
export type ApiResponse = { status: number; headers: Headers; text: string; json: unknown }

const LONGEST_PAUSE_MS = 30_000
const HOUR_MS = 3_600_000

/** Calls an API. While it throttles or is unavailable, all requests wait. */
export class ApiClient {
  readonly #access: ApiAccess
  readonly #pace: Pace

  constructor(access: ApiAccess) {
    this.#access = access
    this.#pace = new Pace(access.perSecond, access.signal)
  }

  /**
   * Sends a request until `isFinal` holds for its response, for some seconds (0: once). Returns the
   * last response. Throws the reason of the signal, and what `isFinal` and `apiKey` throw.
   */
  async send(
    request: ApiRequest,
    isFinal: (response: ApiResponse) => boolean,
    seconds = Infinity,
  ): Promise<ApiResponse> {
    const { signal, progress } = this.#access
    const end = performance.now() + 1000 * seconds
    for (let pause = 100; ; pause = Math.min(1.5 * pause, LONGEST_PAUSE_MS)) {
      await this.#pace.turn()
      const response = await this.#attempt(request)
      signal.throwIfAborted()
      const { status, headers, text } = response
      const asked = Number(headers.get('Retry-After') ?? Number.NaN)
      const wait = asked >= 0 ? Math.min(1000 * asked, HOUR_MS) : pause
      if (isFinal(response) || performance.now() + wait > end) return response
      progress.report(`Waiting for the API: ${printable(`${status} ${text.slice(0, 200)}`)}`)
      this.#pace.delay(wait)
    }
  }

  async #attempt({ path, headers, ...request }: ApiRequest): Promise<ApiResponse> {
    const { baseUrl, apiKey, signal } = this.#access
    const key = await apiKey()
    const authorization = key && { Authorization: `Bearer ${key}` }
    try {
      const response = await fetch(baseUrl + path, {
        ...request,
        headers: { 'Content-Type': 'application/json', ...authorization, ...headers },
        redirect: 'manual', // The key goes to no other host.
        signal, // No time limit: API Gateway gives up after 29 s, and `fetch` after five minutes.
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: jsonOf(text) }
    } catch (error) {
      const { cause = error } = Object(error) // `fetch` says why in the cause.
      return { status: 0, headers: new Headers(), text: `${cause}.`, json: undefined }
    }
  }
}

/**
 * Whether the service has responded with one of `statuses`: what a firewall or a proxy sends says
 * nothing of the request, whatever its status. Throws a CommandError if it does not accept the key.
 */
export const hasStatus =
  (...statuses: number[]) =>
  ({ status, json }: ApiResponse): boolean => {
    const { status: own, message } = Object(json)
    if (json === undefined || (status >= 400 && own !== status)) return false
    if (message === gatewayResponses.forbidden.message) return false
    if (status === 401 || status === 403)
      throw new CommandError(`The API does not accept the key of this command: ${message}`)
    return statuses.includes(status)
  }

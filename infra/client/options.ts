import { visibleText } from './request.ts'

/** The API to call, and how to retry. */
export type ClientOptions = {
  /**
   * The base address of the API, such as
   * `https://abcdef1234.execute-api.us-east-1.amazonaws.com/v1`.
   */
  baseUrl: string
  /** The API key. It is sent to `baseUrl` only. */
  apiKey: string
  /** How often a request is sent at most, including the first time (default: 5). */
  attempts?: number | undefined
  /** How many seconds a call waits between its attempts at most, in total (default: 30). */
  maxWaitSeconds?: number | undefined
  /** How many seconds an attempt may take (default: 30; API Gateway responds within 29). */
  timeoutSeconds?: number | undefined
  /** Replaces the `fetch` of the platform. */
  fetch?: typeof globalThis.fetch | undefined
}

/** The options with their defaults. Throws a TypeError for an invalid `baseUrl` or `apiKey`. */
export const checkedOptions = (options: ClientOptions): Required<ClientOptions> => {
  const { baseUrl, apiKey = '', fetch = globalThis.fetch } = options
  const { attempts = 5, maxWaitSeconds = 30, timeoutSeconds = 30 } = options
  if (!/^https?:\/\/[^/?#]+(\/[^?#]*)?$/.test(baseUrl) || !URL.canParse(baseUrl))
    throw new TypeError(
      'baseUrl must be the address of the API, such as https://api.example.com/v1.',
    )
  // Here, because the platform's own error would contain the key.
  visibleText('apiKey', apiKey, ', without Bearer')
  const { origin, pathname } = new URL(baseUrl)
  const base = origin + pathname.replace(/\/+$/, '')
  return { baseUrl: base, apiKey, attempts, maxWaitSeconds, timeoutSeconds, fetch }
}

/** Which API to call, and how patiently. */
export type ClientOptions = {
  /** The base address of the API, such as `https://abcdef1234.execute-api.us-east-1.amazonaws.com/v1`. */
  baseUrl: string
  apiKey: string
  /** How often a request is sent at most, the first time included (default: 5). */
  attempts?: number | undefined
  /** How many seconds a request waits at most, in all, to be sent again (default: 30). */
  maxWaitSeconds?: number | undefined
  /** After how many seconds an attempt counts as not answered (default: 30, as API Gateway answers within 29). */
  timeoutSeconds?: number | undefined
  /** What sends the requests, in place of the platform's own `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
}

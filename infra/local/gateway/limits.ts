import { functionSettings } from '../../functions.ts'

/**
 * What the local server allows a client, in milliseconds and bytes. A test exceeds each limit. The connection of a client
 * that is too slow ends, after a 408 if its request is incomplete.
 */
export const localLimits = {
  /** Time to send the headers of a request, after the connection opens or the previous response ends. */
  headersMs: 30_000,
  /** Time to send its body, after its headers or the previous response. */
  bodyMs: 30_000,
  /** Time until the next request begins. Node.js adds a second. */
  idleMs: 5_000,
  /** Time in which some of a response must be read. Node.js checks only this often, so it can take twice as long. */
  readMs: 15_000,
  /** Size of the URL and headers of a request, as in API Gateway: else 431, and the connection ends. */
  headerBytes: 10_240,
  /** Size of a body, also when decompressed, as in API Gateway: else 413. */
  bodyBytes: 10 * 1024 * 1024,
  // In AWS, each concurrent invocation has a process and database connections of its own. Here, hundreds at once would
  // delay each other until their database calls time out.
  /** Functions that run at once; other requests wait. */
  functions: 16,
  /** Time for a function to respond: else 504. */
  functionMs: functionSettings.timeoutSeconds * 1000,
}

export type Limits = typeof localLimits

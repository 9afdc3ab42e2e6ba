import { functionSettings } from '../functions.ts'

/** What the local server allows a client, in milliseconds and bytes. A test exceeds each limit. */
export const localLimits = {
  /** Time until the next request begins: else the connection ends. Node.js adds a second. */
  idleMs: 5_000,
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

import { functionSettings } from '../../functions.ts'

/** The limits of the local server: milliseconds, bytes, numbers. The first six are Node.js's. */
export const localLimits = {
  /** Time to send the headers of a request. */
  headersTimeout: 30_000,
  /** Time to send a request. */
  requestTimeout: 60_000,
  /** Time between two checks of these limits. */
  connectionsCheckingInterval: 5_000,
  /** Time between two requests of a connection. Node.js adds a second. */
  keepAliveTimeout: 5_000,
  /** Size of the URL and headers, as in API Gateway: else 431. */
  maxHeaderSize: 10_240,
  /** Connections at once: more are closed. */
  maxConnections: 500,
  /** Size of a body, also when decompressed: else 413. */
  bodyBytes: 1024 * 1024,
  // Hundreds at once would delay each other until their database calls time out.
  /** Functions that run at once; other requests wait. */
  functions: 16,
  /** Time for a function to respond: else 504. */
  functionMs: functionSettings.timeoutSeconds * 1000,
}

export type Limits = typeof localLimits

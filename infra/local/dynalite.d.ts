declare module 'dynalite' {
  import type { Server } from 'node:http'

  /** Embedded DynamoDB; it comes without types. `path` is a folder to keep the data in, otherwise it is in memory. */
  const dynalite: (options: { path?: string | undefined; createTableMs: number }) => Server
  export = dynalite
}

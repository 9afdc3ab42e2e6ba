import { leastEnvironment } from '../../support/server.ts'
import type { Start } from './with-processes.ts'

/** The environment that a function needs for a database. */
export type Environment = Record<string, string>

/** Starts a database with the service's tables and the local API key, which keeps its data in a folder or in memory. */
export const startDatabase = async (start: Start, folder?: string): Promise<Environment> => {
  const { greeting } = await start('database-process.ts', folder ? [folder] : [], leastEnvironment)
  return greeting as Environment // What database-process.ts says.
}

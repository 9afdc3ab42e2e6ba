import type { Event } from '../../../shared/request.ts'
import type { Environment } from './start-database.ts'
import type { Start } from './with-processes.ts'

/** What a function answered, and the milliseconds that it took. */
export type Invocation = { response: { statusCode: number; body: string }; ms: number }

/** Starts the function whose bundle is in a folder, as cold as Lambda does, and tells how to invoke it. */
export const startFunction = async (start: Start, folder: string, environment: Environment) => {
  const { ask } = await start('function-process.ts', [folder], environment)
  return async (event: Event): Promise<Invocation> => {
    const invocation = (await ask(event)) as Invocation // What function-process.ts answers.
    const { statusCode, body } = invocation.response
    // An error has other costs, and another time.
    if (statusCode < 200 || statusCode > 299) throw new Error(`A function answered ${statusCode}: ${body}`)
    return invocation
  }
}

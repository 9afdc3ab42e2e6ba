import type { OperationId } from '../../../shared/contract.ts'
import type { Event } from '../../../shared/http.ts'
import type { Bundles } from '../../support/bundles.ts'
import type { Environment } from './start-database.ts'
import type { Start } from './with-processes.ts'

/** What a function answered, and the milliseconds that it took. */
export type Invocation = { response: { statusCode: number; body: string }; ms: number }

/** The part of bundles that is needed to start one of them. */
export type Startable = Pick<Bundles, 'folderOf' | 'handlerOf' | 'environmentOf'>

/**
 * Starts the handler of a function, and tells how to invoke it. Its process has no more than the handler: here it is
 * counted what that asks of the database, and compared with itself.
 */
export const startHandler = async (start: Start, bundles: Startable, id: OperationId, environment: Environment) => {
  const { ask } = await start('handler-process.ts', [bundles.folderOf(id), bundles.handlerOf(id)], {
    ...bundles.environmentOf(id),
    ...environment,
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand', // In Lambda, a function has a first read while it starts.
  })
  return async (event: Event): Promise<Invocation> => {
    const invocation = (await ask(event)) as Invocation // What handler-process.ts answers.
    const { statusCode, body } = invocation.response
    // An error has other costs, and another time.
    if (statusCode < 200 || statusCode > 299) throw new Error(`A function answered ${statusCode}: ${body}`)
    return invocation
  }
}

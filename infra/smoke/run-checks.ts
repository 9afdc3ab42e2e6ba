import type { KeyPrefix } from '../../shared/model/api-key.ts'
import { CommandError } from '../command-line.ts'
import { adding, isAdded, isAddedOnce, isThere, isUp, newSmokePet } from './animal-checks.ts'
import type { Api } from './api.ts'
import { type Check, carryOut, type Outcome } from './check.ts'
import { errorsAreAsSaid } from './error-checks.ts'

/** Carries out all checks, prints a line for each, and tells whether all passed. */
export const runChecks = async (
  api: Api,
  { key, keyPrefix, waitSeconds }: { key: string; keyPrefix: KeyPrefix; waitSeconds: number },
): Promise<boolean> => {
  // Nothing else can be told of an API that does not answer.
  if (!(await run(api, isUp(key, waitSeconds))).passed) return false
  const pet = newSmokePet()
  const request = adding(key, pet)
  const added = await run(api, isAdded(request, pet))
  const outcomes = [added]
  const readable = added.passed ? [isAddedOnce(request, added.body), ...isThere(key, added.body, waitSeconds)] : []
  for (const check of [...readable, ...errorsAreAsSaid(key, keyPrefix)]) outcomes.push(await run(api, check))
  console.info('What was added stays in the catalogue: the API has no operation that deletes an animal.')
  return outcomes.every(({ passed }) => passed)
}

const run = async (api: Api, check: Check): Promise<Outcome> => {
  const outcome = await carryOut(api, check)
  if (api.stopped.aborted) throw new CommandError('Stopped.')
  console.info(outcome.line)
  return outcome
}

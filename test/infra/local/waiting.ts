import type { Handler } from '../../../infra/local/lambda.ts'

/** A function that says when it is called, and answers when it is told to. */
export const waiting = () => {
  const called = Promise.withResolvers<void>()
  const released = Promise.withResolvers<{ statusCode: number; body: string }>()
  const listPets: Handler = () => {
    called.resolve()
    return released.promise
  }
  return { listPets, called: called.promise, release: released.resolve }
}

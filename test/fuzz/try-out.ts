import assert from 'node:assert/strict'
import type { Received } from '../support/http.ts'
import { checkAnswer } from './check-answer.ts'
import { checkCreated, checkListed, checkShape } from './check-success.ts'
import { deliver } from './deliver.ts'
import type { ClientRequest, Request } from './request.ts'
import { placed, type Target } from './target.ts'

/** Sends a request, and checks all that is known of its answer. Throws an Error that says which request it was. */
export const tryOut = async (target: Target, request: Request): Promise<void> => {
  const answers: Received[] = []
  try {
    answers.push(...(await deliver(target, placed(request, target))))
    if ('text' in request) assert.ok(answers.length > 0 || request.text.trim() === '', 'There is no answer.')
    for (const answer of answers) {
      await check(target, request, answer)
      remember(target, request, answer)
    }
  } catch (error) {
    const told = answers.flatMap((answer) => [`${answer.status} ${answer.text}`, ...logged(target, answer)])
    const lines = [error instanceof Error ? error.message : error, JSON.stringify(request), ...told]
    throw new Error(lines.map((line) => String(line).slice(0, 2000)).join('\n'), { cause: error })
  }
}

const check = async ({ pet, ask }: Target, request: Request, answer: Received): Promise<void> => {
  const { method = '', statuses, wanted, page }: Partial<ClientRequest> = 'text' in request ? {} : request
  checkAnswer(answer, method)
  if (statuses) assert.ok(statuses.includes(answer.status), `It should be ${statuses.join(' or ')}.`)
  if (answer.status === 204) assert.equal(answer.text, '')
  if (answer.status === 201) await checkCreated(answer, wanted, ask)
  if (answer.status !== 200) return
  if (Array.isArray(answer.body)) return checkListed(answer, page, ask)
  checkShape('getPet', answer)
  assert.equal(answer.text, pet.text)
}

const remember = ({ statuses, creations }: Target, request: Request, answer: Received): void => {
  statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
  if ('key' in request && request.key) creations.set(request.key, [...(creations.get(request.key) ?? []), answer])
}

/** What the server logged of the request that it answered so. */
const logged = ({ server }: Target, { headers }: Received): string[] => {
  const id = headers['x-request-id']
  const lines = server.output().split('\n')
  return lines.filter((line) => id && line.includes(id))
}

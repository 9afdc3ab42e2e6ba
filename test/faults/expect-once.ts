import { expect } from 'vitest'
import { responseTo, unavailable } from '../functions/responses.ts'
import { ask, type Exchange, ranOutOfTime } from './requests.ts'
import type { Case, Ran } from './run-case.ts'
import type { Item } from './stored.ts'

/** Expects of what ran, and of all that is stored then, that no pet was lost or doubled, and what was answered. */
export const expectOnce = ({ each, name, creates, read }: Ran, stored: Item[]): void => {
  const pets = stored.filter((item) => item.name === name)
  const outcomes = creates.filter((exchange, i) => i === 0 || !ranOutOfTime(exchange)).map(outcomeOf)
  expect({ title: each.title, outcomes: outcomes.join(' '), pets: pets.length }).toEqual({
    title: each.title,
    outcomes: expect.toBeOneOf(possibleOutcomes(each, creates.slice(0, 1).some(ranOutOfTime))),
    pets: outcomes.every((outcome) => outcome === 'unavailable') ? expect.toBeOneOf([0, 1]) : 1,
  })
  const body = { id: pets[0]?.id, name, categoryId: 7, status: 'available' }
  expect(creates.map(({ response }) => response)).toEqual(creates.map((exchange) => wholeAnswer(exchange, body)))
  if (each.way.hasKey) expect(read).toMatchObject({ status: 200, body })
}

const outcomeOf = ({ response: { status, headers } }: Exchange): string => {
  if (status === 201) return 'Idempotent-Replayed' in headers ? 'replayed' : 'created'
  return status === 503 ? 'unavailable' : String(status)
}

/** What a client can be told, one answer after the other. */
const possibleOutcomes = ({ way, overcome, times }: Case, isLate: boolean): string[] => {
  const made = way.before === ask ? 'replayed' : 'created'
  const served = way.hasKey ? [`${made} replayed`] : [made]
  // An attempt that is answered 503 may have made the pet.
  const failed = way.hasKey ? [`unavailable ${made} replayed`, 'unavailable replayed replayed'] : ['unavailable']
  if (overcome === 0 || (times >= 3 && times > overcome)) return failed
  return times <= overcome && !isLate ? served : [...served, ...failed]
}

const wholeAnswer = (exchange: Exchange, body: { id: unknown }) => {
  const outcome = outcomeOf(exchange)
  if (outcome === 'unavailable') return responseTo(exchange.event, unavailable)
  const headers = { Location: `/v1/pets/${body.id}`, ...(outcome === 'replayed' && { 'Idempotent-Replayed': 'true' }) }
  return responseTo(exchange.event, { status: 201, headers, body })
}

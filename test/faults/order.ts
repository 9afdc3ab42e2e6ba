import fc from 'fast-check'
import { answers, type Fault } from '../support/fault-proxy.ts'
import type { HeldCall } from './held-calls.ts'
import { storeAnother } from './stored.ts'

/** Which of the attempts goes on, what its call meets, and whether another pet is put under its id just before. */
type Step = { who: number; fate: Fault | 'blind'; idIsTaken: boolean }

const step = fc.record<Step>({
  who: fc.nat(11),
  fate: fc.oneof(
    { weight: 5, arbitrary: fc.constant<Fault>('pass') },
    fc.constantFrom<Fault>('cut', { carriedOut: 'cut' }, answers.html, { carriedOut: answers.html }),
    fc.constant('blind' as const),
  ),
  idIsTaken: fc.boolean(),
})

/** The first steps of attempts at once. What comes after them goes on as it comes. */
export const order = fc.array(step, { minLength: 20, maxLength: 60, size: 'max' })

const CALM: Step = { who: 0, fate: 'pass', idIsTaken: false }

/** What was made in all orders together. */
export const counts = { orders: 0, calls: 0, faults: 0, idsTaken: 0, moves: 0, 'answered 201': 0, 'answered 503': 0 }

/** Lets calls go on step by step; tells the ids that pets were put under. */
export const letGoOn = async (steps: Step[], waiting: () => Promise<HeldCall[][]>): Promise<number[]> => {
  const ids = new Set<number>()
  const left = steps[Symbol.iterator]()
  for (let calls = await waiting(); calls.length > 0; calls = await waiting()) {
    const next: Step = left.next().value ?? CALM
    const call = calls[next.who % calls.length]?.shift()
    if (call) await goOn(call, next, ids)
  }
  return [...ids]
}

const goOn = async (call: HeldCall, { fate, idIsTaken }: Step, ids: Set<number>): Promise<void> => {
  const { Item, ConditionExpression } = JSON.parse(call.body)
  const id = Number(Item?.id?.N)
  if (id) ids.add(id)
  if (id && idIsTaken && (await storeAnother(id))) counts.idsTaken++
  // A read that sees nothing; a put that was not carried out is never answered as if it were.
  const fault = fate !== 'blind' ? fate : call.operation === 'GetItem' ? answers.nothing : 'pass'
  counts.calls++
  if (fault !== 'pass') counts.faults++
  if (/petId/.test(ConditionExpression)) counts.moves++
  call.release(fault)
}

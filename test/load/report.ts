import { isDeepStrictEqual } from 'node:util'
import type { Pet } from '../support/server.ts'
import type { Part, Run } from './run-load.ts'

/** What a run must not show, one sentence each. */
export const shortcomingsOf = (run: Run): string[] => {
  const { first, rest, ledger } = run
  const { lost, doubled, unsent } = compare(run)
  const missing = ['listPets 200', 'createPet 201', 'updatePet 200'].filter((kind) => !ledger.responses.has(kind))
  const errors = [...ledger.responses].filter(([kind]) => !/ 2\d\d$/.test(kind))
  const failed = first.failed + rest.failed
  const growth = rest.heap / first.heap
  return [
    ...missing.map((kind) => `No ${kind}.`),
    ...errors.map(([kind, times]) => `${kind}: ${times} times.`),
    ...(failed > 0 ? [`No response: ${failed} times.`] : []),
    ...pets('Created with a 201, but missing after the restart', lost),
    ...pets('Found more than once', doubled),
    ...pets('Found, but never sent', unsent),
    ...(growth > 1.2 ? [`The heap grew to ${growth.toFixed(2)} times its size.`] : []),
  ]
}

/** Prints the figures of a run. */
export const report = (run: Run): void => {
  const { first, rest, ledger, found } = run
  const { lost, doubled, unsent, unconfirmed } = compare(run)
  console.table([first, rest].map(figuresOf))
  console.table(Object.fromEntries([...ledger.responses].sort()))
  console.log(
    `${ledger.created.length} pets were created with a 201. After a restart, the server has ${found.length}: ` +
      `${lost.length} lost, ${doubled.length} doubled, ${unsent.length} never sent. ` +
      `${unconfirmed.length} got no response, because the load ended first.`,
  )
}

const figuresOf = ({ seconds, responses, p50, p99, max, failed, heap }: Part) => ({
  seconds,
  responses,
  'responses per second': Math.round(responses / seconds),
  'p50, ms': p50,
  'p99, ms': p99,
  'max, ms': max,
  'no response': failed,
  'heap, MB': Math.round(heap / 1e6),
})

/** Compares what was sent and created with what the server has after a restart. */
const compare = ({ ledger: { sent, created }, found }: Run) => {
  const byId = new Map(found.map((pet) => [pet.id, pet]))
  const confirmed = new Set(created.map(({ name }) => name))
  const seen = new Set<number | string>()
  const isRepeated = ({ id, name }: Pet) => seen.size + 2 > seen.add(id).add(name).size
  return {
    lost: created.filter((pet) => !isDeepStrictEqual(byId.get(pet.id), pet)),
    doubled: found.filter(isRepeated),
    unsent: found.filter(({ name }) => !sent.has(name)),
    unconfirmed: found.filter(({ name }) => sent.has(name) && !confirmed.has(name)),
  }
}

const pets = (what: string, those: Pet[]): string[] =>
  those.length > 0 ? [`${what}: ${those.length} pets, such as ${JSON.stringify(those[0])}.`] : []

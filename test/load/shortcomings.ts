import type { Pet } from '../infra/local/catalogue.ts'
import type { Run } from './run-load.ts'

const MOST_GROWTH = 1.2

// With fewer, the process is still getting to its working size: V8's space for what is new goes from 16 to 128 MB.
const WARM_AFTER_ANSWERS = 3000

/** Whether the first part of a run was enough to compare resident memory with what it is later. */
export const isWarm = ({ first }: Run): boolean => first.speed.answers >= WARM_AFTER_ANSWERS

/** What a run shows that must not be, in sentences. */
export const shortcomingsOf = (run: Run): string[] => {
  const { first, rest, answers, tally } = run
  const kinds = [...answers]
  const failed = first.speed.failed + rest.speed.failed
  return [
    ...['listPets 200', 'createPet 201', 'getPet 200']
      .filter((kind) => !answers.has(kind))
      .map((kind) => `No ${kind}.`),
    ...kinds.filter(([kind]) => !/ 2\d\d$/.test(kind)).map(([kind, times]) => `${kind}: ${times} times.`),
    ...(failed > 0 ? [`No answer at all: ${failed} times.`] : []),
    ...pets('Answered with a 201, and not in the catalogue', tally.lost),
    ...pets('More than once in the catalogue', tally.doubled),
    ...pets('In the catalogue, and never sent', tally.unasked),
    ...growth('The heap', first.memory.heap, rest.memory.heap),
    ...(isWarm(run) ? growth('The resident memory', first.memory.resident, rest.memory.resident) : []),
  ]
}

const pets = (what: string, those: Pet[]): string[] =>
  those.length > 0 ? [`${what}: ${those.length} pets, such as ${JSON.stringify(those[0])}.`] : []

const growth = (what: string, before: number, after: number): string[] =>
  after > before * MOST_GROWTH ? [`${what} has grown to ${(after / before).toFixed(2)} times what it was.`] : []

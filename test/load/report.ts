import { availableParallelism, cpus, totalmem } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import type { Pet } from '../support/server.ts'
import { CONNECTIONS, type Part, type Run } from './run-load.ts'

/** What a run must not show, one sentence each. */
export const shortcomingsOf = (run: Run): string[] => {
  const { first, rest, ledger } = run
  const { lost, doubled, unsent } = compare(run)
  const missing = ['listPets 200', 'createPet 201', 'updatePet 200'].filter((kind) => !ledger.responses.has(kind))
  const errors = [...ledger.responses].filter(([kind]) => !/ 2\d\d$/.test(kind))
  const failed = first.speed.failed + rest.speed.failed
  return [
    ...missing.map((kind) => `No ${kind}.`),
    ...errors.map(([kind, times]) => `${kind}: ${times} times.`),
    ...(failed > 0 ? [`No response: ${failed} times.`] : []),
    ...pets('Created with a 201, but missing after the restart', lost),
    ...pets('Found more than once', doubled),
    ...pets('Found, but never sent', unsent),
    ...growth('The heap', first.memory.heap, rest.memory.heap),
    ...(isWarm(run) ? growth('The resident memory', first.memory.resident, rest.memory.resident) : []),
  ]
}

/** The figures of a run as a table. */
export const report = (run: Run): string => {
  const { first, rest, ledger, found } = run
  const { lost, doubled, unsent, unconfirmed } = compare(run)
  const row = (name: string, of: (part: Part) => string): string =>
    name.padEnd(24) + of(first).padStart(12) + of(rest).padStart(12)
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model}), ${mebibytes(totalmem())}, Node.js ${process.version}`,
    '',
    row(`${CONNECTIONS} connections for`, ({ seconds }) => `${seconds} s`),
    row('responses', ({ speed }) => count(speed.responses)),
    row('responses per second', ({ speed }) => count(speed.perSecond)),
    ...(['p50', 'p99', 'max'] as const).map((of) => row(`latency, ${of}`, ({ speed }) => `${count(speed[of])} ms`)),
    row('no response', ({ speed }) => count(speed.failed)),
    row('heap, collected', ({ memory }) => mebibytes(memory.heap)),
    row('resident', ({ memory }) => mebibytes(memory.resident)),
    '',
    ...[...ledger.responses].sort().map(([kind, times]) => kind.padEnd(24) + count(times).padStart(12)),
    '',
    `${count(ledger.created.length)} pets were created with a 201. After a restart, the server has ${count(found.length)}:`,
    `${lost.length} lost, ${doubled.length} doubled, ${unsent.length} never sent. ` +
      `${count(unconfirmed.length)} got no response, because the load ended first.`,
    '',
  ].join('\n')
}

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

// Before, the process has not reached its working size: V8's young generation grows from 16 to 128 MB.
const isWarm = ({ first }: Run): boolean => first.speed.responses >= 3000

const growth = (what: string, before: number, after: number): string[] =>
  after > before * 1.2 ? [`${what} grew to ${(after / before).toFixed(2)} times its size.`] : []

const pets = (what: string, those: Pet[]): string[] =>
  those.length > 0 ? [`${what}: ${those.length} pets, such as ${JSON.stringify(those[0])}.`] : []

const count = (number: number): string => Math.round(number).toLocaleString('en')
const mebibytes = (bytes: number): string => `${count(bytes / 2 ** 20)} MiB`

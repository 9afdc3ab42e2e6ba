import { once } from 'node:events'
import { type Figure, median, quantile, rowOf, shuffled } from './figure.ts'
import { type Host, startFunction } from './lambda.ts'
import { checkResult, type Subject } from './subjects.ts'

/** Consecutive calls, in microseconds: how long each took, and the CPU time of one on average. */
type Round = { times: number[]; cpu: number }

/** A running function that can be called again and again. */
type WarmFunction = {
  subject: Subject
  /** Calls the function once, then until `milliseconds` have passed. Throws a CommandError when a response is wrong. */
  callFor: (milliseconds: number, call?: Subject['call']) => Promise<Round>
  stop: () => Promise<void>
}

const ROUND_MS = 150
const WARM_UP_MS = 60

/** Calls each function for `rounds` rounds, in turns with the others, after calls that let V8 optimize its code. */
export const measureWarm = async (subjects: Subject[], host: Host, rounds: number): Promise<Figure[]> => {
  const started: WarmFunction[] = []
  try {
    for (const subject of subjects) started.push(await startWarm(subject, host))
    for (const { callFor } of started) await callFor(WARM_UP_MS * rounds)
    const runs = started.map((warm) => ({ ...warm, rounds: [] as Round[] }))
    for (let round = 0; round < rounds; round++) {
      for (const run of shuffled(runs)) run.rounds.push(await run.callFor(ROUND_MS))
    }
    return runs.flatMap(({ subject, rounds }) => warmFigures(subject.name, rounds))
  } finally {
    await Promise.all(started.map(({ stop }) => stop()))
  }
}

/** Starts a function, and checks the responses to the calls that it is not measured with. */
export const startWarm = async (subject: Subject, host: Host): Promise<WarmFunction> => {
  const { child, failed, stop } = startFunction(subject, host, 'ipc')
  const callFor: WarmFunction['callFor'] = async (milliseconds, call = subject.call) => {
    child.send({ event: call.event, milliseconds })
    const [{ times, cpu, ...outcome }] = await Promise.race([once(child, 'message'), failed])
    checkResult(subject, call, outcome)
    return { times, cpu }
  }
  try {
    for (const call of subject.alsoCall) await callFor(0, call)
  } catch (error) {
    await stop()
    throw error
  }
  return { subject, callFor, stop }
}

const warmFigures = (row: string, rounds: Round[]): Figure[] => {
  const figure = rowOf('warm', row)
  const times = rounds.flatMap((round) => round.times)
  return [
    figure('CPU', 'µs', median(rounds.map(({ cpu }) => cpu))),
    figure('p50', 'µs', quantile(times, 0.5)),
    figure('p99', 'µs', quantile(times, 0.99)),
  ]
}

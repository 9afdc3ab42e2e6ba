import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { showProgress } from '../support/process.ts'
import { type DynamoDb, startDynamoDb } from './dynamodb.ts'
import { startFunction } from './lambda.ts'
import type { Figures, Run } from './report.ts'
import { checkResult, type Subject, type Subjects } from './subjects.ts'

/**
 * Measures the functions.
 *
 * @param starts how often each function is started, and for how many rounds it is called
 * @param folder gets temporary files
 * @throws CommandError when a function fails or returns a wrong response
 */
export const measure = async ({ cold, warm }: Subjects, starts: number, folder: string): Promise<Run> => {
  const dynamodb = await startDynamoDb(folder)
  try {
    return {
      cold: await measureCold(cold, dynamodb, starts),
      warm: await measureWarm(warm, dynamodb, starts),
      machine: machine(),
    }
  } finally {
    dynamodb.stop()
  }
}

const machine = (): string => {
  const memory = Math.round(totalmem() / 1e9)
  return `${availableParallelism()} cores of ${cpus()[0]?.model.trim()}, ${memory} GB of memory, Node.js ${process.version}`
}

/** Starts each function `starts` times, and returns the medians. */
const measureCold = async (subjects: Subject[], dynamodb: DynamoDb, starts: number): Promise<Figures> => {
  const runs = await inTurns('Cold starts', subjects, starts + 1, (subject) => coldStart(subject, dynamodb))
  return Object.fromEntries(
    // The first start is not counted, because it reads the bundle from the disk.
    runs.map(([{ name, folder }, [, ...counted]]) => {
      const medianOf = (pick: (start: ColdStart) => number) => quantile(counted.map(pick), 0.5)
      const figures = {
        'load, ms': medianOf(({ load }) => load),
        'first call, ms': medianOf(({ call }) => call),
        'load + first call, ms': medianOf(({ load, call }) => load + call),
        'CPU, ms': medianOf(({ cpu }) => cpu),
        'memory, MB': medianOf(({ memory }) => memory),
        'bundle, KB': bundleSize(folder) / 1000,
      }
      return [name, figures]
    }),
  )
}

/**
 * One cold start: milliseconds until the function is loaded, of the first call, and of CPU time for both; megabytes of
 * resident memory after it.
 */
type ColdStart = { load: number; call: number; cpu: number; memory: number }

/** Starts a function in a new process and calls it once. */
const coldStart = async (subject: Subject, dynamodb: DynamoDb): Promise<ColdStart> => {
  const { child, failed, stop } = startFunction(subject, dynamodb, 'pipe')
  try {
    const report = text(child.stdio[4] as Readable) // Because startFunction made it a pipe.
    const { figures, ...outcome } = JSON.parse(await Promise.race([report.then((json) => json || failed), failed]))
    checkResult(subject, outcome)
    return figures
  } finally {
    await stop()
  }
}

/** Returns the bytes of JavaScript in a bundle. Its source map is read only for stack traces, so it does not count. */
const bundleSize = (folder: string): number => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.[cm]?js$/.test(file))
  return files.reduce((total, file) => total + statSync(join(folder, file)).size, 0)
}

const ROUND_MS = 150
const WARM_UP_MS = 60

/** Calls each function for `rounds` rounds, after calls that let V8 optimize its code. */
const measureWarm = async (subjects: Subject[], dynamodb: DynamoDb, rounds: number): Promise<Figures> => {
  const started = subjects.map((subject) => startWarm(subject, dynamodb))
  try {
    for (const { callFor } of started) await callFor(WARM_UP_MS * rounds)
    const runs = await inTurns('Warm calls', started, rounds, ({ callFor }) => callFor(ROUND_MS))
    return Object.fromEntries(
      runs.map(([{ name }, rounds]) => {
        const times = rounds.flatMap((round) => round.times)
        const cpu = rounds.map((round) => round.cpu)
        return [
          name,
          { 'CPU, µs': quantile(cpu, 0.5), 'p50, µs': quantile(times, 0.5), 'p99, µs': quantile(times, 0.99) },
        ]
      }),
    )
  } finally {
    await Promise.all(started.map(({ stop }) => stop()))
  }
}

/** Consecutive calls, in microseconds: how long each took, and the CPU time of one on average. */
type Round = { times: number[]; cpu: number }

/** Starts a function. `callFor` calls it once, then until `milliseconds` have passed. */
const startWarm = (subject: Subject, dynamodb: DynamoDb) => {
  const { child, failed, stop } = startFunction(subject, dynamodb, 'ipc')
  const callFor = async (milliseconds: number): Promise<Round> => {
    child.send(milliseconds)
    const [{ times, cpu, ...outcome }] = await Promise.race([once(child, 'message'), failed])
    checkResult(subject, outcome)
    return { times, cpu }
  }
  return { name: subject.name, callFor, stop }
}

/**
 * Calls `measure` with each subject `rounds` times, and returns the results of each. The subjects take turns in random
 * order, so that none always runs after the same other one. `name` is shown with the progress.
 */
const inTurns = async <Measured, Result>(
  name: string,
  subjects: Measured[],
  rounds: number,
  measure: (subject: Measured) => Promise<Result>,
): Promise<[Measured, Result[]][]> => {
  const runs = subjects.map((subject): [Measured, Result[]] => [subject, []])
  for (let round = 0; round < rounds; round++) {
    showProgress(`${name}: round ${round + 1} of ${rounds}`)
    const shuffled = runs.map((run) => ({ run, order: Math.random() })).sort((a, b) => a.order - b.order)
    for (const { run } of shuffled) run[1].push(await measure(run[0]))
  }
  showProgress('')
  return runs
}

/** Returns the smallest number that is not below `share` of the numbers: 0.99 for p99. NaN for an empty list. */
const quantile = (numbers: number[], share: number): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

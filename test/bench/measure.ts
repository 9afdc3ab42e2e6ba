import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { showProgress } from '../support/process.ts'
import { type DynamoDb, startDynamoDb } from './dynamodb.ts'
import { startFunction } from './lambda.ts'
import type { Figures } from './report.ts'
import { checkResult, type Subject, type Subjects } from './subjects.ts'

/**
 * Measures the functions. Returns the figures of each table.
 *
 * @param starts how often each function is started, and for how many rounds it is called
 * @param folder gets temporary files
 * @throws CommandError when a function fails or returns a wrong response
 */
export const measure = async ({ cold, warm }: Subjects, starts: number, folder: string) => {
  const dynamodb = await startDynamoDb(folder)
  try {
    return {
      cold: await measureCold(cold, dynamodb, starts),
      warm: await measureWarm(warm, dynamodb, starts),
    }
  } finally {
    dynamodb.stop()
  }
}

/** Starts each function `starts` times, and returns the medians. */
const measureCold = async (
  subjects: Subject[],
  dynamodb: DynamoDb,
  starts: number,
): Promise<Figures> => {
  const runs = await inTurns('Cold starts', subjects, starts + 1, (subject) =>
    coldStart(subject, dynamodb),
  )
  return Object.fromEntries(
    // The first start is not counted, because it reads the bundle from the disk.
    runs.map(([{ name, folder }, [first = {}, ...counted]]) => {
      const medians = Object.keys(first).map((column) => {
        const values = counted.map((figures) => figures[column] ?? Number.NaN)
        return [column, quantile(values, 0.5)]
      })
      return [name, { ...Object.fromEntries(medians), 'bundle, KB': bundleSize(folder) / 1000 }]
    }),
  )
}

/**
 * Starts a function in a new process and calls it once. Returns the figures that `preload.cjs`
 * takes.
 */
const coldStart = async (subject: Subject, dynamodb: DynamoDb): Promise<Record<string, number>> => {
  const { child, failed, stop } = startFunction(subject, dynamodb, 'pipe')
  try {
    const report = text(child.stdio[4] as Readable) // Because startFunction made it a pipe.
    const { figures, ...outcome } = JSON.parse(
      await Promise.race([report.then((json) => json || failed), failed]),
    )
    checkResult(subject, outcome)
    return figures
  } finally {
    await stop()
  }
}

/**
 * Returns the bytes of JavaScript in a bundle. Its source map is read only for stack traces, so it
 * does not count.
 */
const bundleSize = (folder: string): number => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.[cm]?js$/.test(file),
  )
  return files.reduce((total, file) => total + statSync(join(folder, file)).size, 0)
}

const ROUND_MS = 150
const WARM_UP_MS = 60

/** Calls each function for `rounds` rounds, after calls that let V8 optimize its code. */
const measureWarm = async (
  subjects: Subject[],
  dynamodb: DynamoDb,
  rounds: number,
): Promise<Figures> => {
  const started = subjects.map((subject) => startWarm(subject, dynamodb))
  try {
    for (const { callFor } of started) await callFor(WARM_UP_MS * rounds)
    const runs = await inTurns('Warm calls', started, rounds, ({ callFor }) => callFor(ROUND_MS))
    return Object.fromEntries(
      runs.map(([{ name }, rounds]) => {
        const cpu = rounds.map((round) => round.cpu)
        const times = rounds.flatMap((round) => round.times)
        const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
        return [name, { 'CPU, µs': quantile(cpu, 0.5), 'p50, µs': p50, 'p99, µs': p99 }]
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
    const [round] = await Promise.race([once(child, 'message'), failed])
    checkResult(subject, round)
    return round
  }
  return { name: subject.name, callFor, stop }
}

/**
 * Calls `measure` with each subject `rounds` times, and returns the results of each. The subjects
 * take turns in random order, so that none always runs after the same other one. `name` is shown
 * with the progress.
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
    const shuffled = runs
      .map((run) => ({ run, order: Math.random() }))
      .sort((a, b) => a.order - b.order)
    for (const { run } of shuffled) run[1].push(await measure(run[0]))
  }
  showProgress('')
  return runs
}

/** Returns the smallest number that is not below `share` of the numbers: 0.99 for p99. */
const quantile = (numbers: number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.ceil(numbers.length * share) - 1] ?? Number.NaN

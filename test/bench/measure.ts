import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { readUnits, sum, writeUnits } from './capacity.ts'
import { startDynamoDb } from './dynamodb.ts'
import { type Figure, inTurns, median, quantile, rowOf } from './figure.ts'
import { type Host, startFunction } from './lambda.ts'
import { reachOf } from './reach.ts'
import type { Run } from './report.ts'
import { checkResult, type Subject, type Subjects } from './subjects.ts'

/**
 * Measures the functions.
 *
 * @param starts how often each function is started, and for how many rounds it is called
 * @param folder gets temporary files
 * @throws CommandError when a function fails or returns a wrong response
 */
export const measure = async (
  { cold, warm, dynamodb: counted }: Subjects,
  { runtimeClient, starts, folder }: Pick<Host, 'runtimeClient'> & { starts: number; folder: string },
): Promise<Run> => {
  const dynamodb = await startDynamoDb(folder)
  const host = { runtimeClient, dynamodb }
  try {
    const figures = [...(await measureCold(cold, host, starts)), ...(await measureWarm(warm, host, starts))]
    for (const subject of counted) figures.push(...(await measureCapacity(subject, host)))
    return { machine: machine(), figures, reach: reachOf(figures) }
  } finally {
    dynamodb.stop()
  }
}

const machine = (): string => {
  const memory = Math.round(totalmem() / 1e9)
  return `${availableParallelism()} cores of ${cpus()[0]?.model.trim()}, ${memory} GB of memory, Node.js ${process.version}`
}

/** Starts each function `starts` times, and returns the medians. */
const measureCold = async (subjects: Subject[], host: Host, starts: number): Promise<Figure[]> => {
  const runs = await inTurns('Cold starts', subjects, starts + 1, (subject) => coldStart(subject, host))
  // The first start is not counted, because it reads the bundle from the disk.
  return runs.flatMap(([subject, [, ...counted]]) => coldFigures(subject, counted))
}

/**
 * One cold start: milliseconds until the function is loaded, of the first call, and of CPU time for both; megabytes of
 * resident memory after it.
 */
type ColdStart = { load: number; call: number; cpu: number; memory: number }

/** Starts a function in a new process and calls it once. */
const coldStart = async (subject: Subject, host: Host): Promise<ColdStart> => {
  const { child, failed, stop } = startFunction(subject, host, 'pipe')
  try {
    const report = text(child.stdio[4] as Readable) // Because startFunction made it a pipe.
    const { figures, ...outcome } = JSON.parse(await Promise.race([report.then((json) => json || failed), failed]))
    checkResult(subject, subject.call, outcome)
    return figures
  } finally {
    await stop()
  }
}

const coldFigures = ({ name, folder }: Subject, starts: ColdStart[]): Figure[] => {
  const figure = rowOf('cold', name)
  const columns: [column: string, unit: 'ms' | 'MB', pick: (start: ColdStart) => number][] = [
    ['load', 'ms', ({ load }) => load],
    ['first call', 'ms', ({ call }) => call],
    ['load + first call', 'ms', ({ load, call }) => load + call],
    ['CPU', 'ms', ({ cpu }) => cpu],
    ['memory', 'MB', ({ memory }) => memory],
  ]
  const medians = columns.map(([column, unit, pick]) => figure(column, unit, median(starts.map(pick))))
  return [...medians, figure('bundle', 'KB', bundleSize(folder) / 1000)]
}

/** Returns the bytes of JavaScript in a bundle. Its source map is read only for stack traces, so it does not count. */
const bundleSize = (folder: string): number => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.[cm]?js$/.test(file))
  return sum(files.map((file) => statSync(join(folder, file)).size))
}

const ROUND_MS = 150
const WARM_UP_MS = 60

/** Calls each function for `rounds` rounds, after calls that let V8 optimize its code. */
const measureWarm = async (subjects: Subject[], host: Host, rounds: number): Promise<Figure[]> => {
  const started: WarmFunction[] = []
  try {
    for (const subject of subjects) started.push(await startWarm(subject, host))
    for (const { callFor } of started) await callFor(WARM_UP_MS * rounds)
    const runs = await inTurns('Warm calls', started, rounds, ({ callFor }) => callFor(ROUND_MS))
    return runs.flatMap(([{ name }, rounds]) => warmFigures(name, rounds))
  } finally {
    await Promise.all(started.map(({ stop }) => stop()))
  }
}

/** Consecutive calls, in microseconds: how long each took, and the CPU time of one on average. */
type Round = { times: number[]; cpu: number }

/** A running function. `callFor` calls it once, then until `milliseconds` have passed. */
type WarmFunction = {
  name: string
  callFor: (milliseconds: number, call?: Subject['call']) => Promise<Round>
  stop: () => Promise<void>
}

/** Starts a function, and checks the responses to the calls that it is not measured with. */
const startWarm = async (subject: Subject, host: Host): Promise<WarmFunction> => {
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
  return { name: subject.name, callFor, stop }
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

/**
 * Counts the DynamoDB calls of one warm call of a function, and the capacity units that they consume. Those of an update
 * depend on the stored item, which the bench's DynamoDB does not have.
 */
const measureCapacity = async (subject: Subject, host: Host): Promise<Figure[]> => {
  const { callFor, stop } = await startWarm(subject, host)
  try {
    await callFor(0) // Also reads the API key, which the function then remembers for a minute.
    const calls = host.dynamodb.record()
    await callFor(0)
    const figure = rowOf('dynamodb', subject.name)
    const count = figure('calls', 'calls', calls.length)
    if (calls.some(({ operation }) => operation === 'UpdateItem')) return [count]
    return [
      count,
      figure('read units', 'units', sum(calls.map(readUnits))),
      figure('write units', 'units', sum(calls.map(writeUnits))),
    ]
  } finally {
    await stop()
  }
}

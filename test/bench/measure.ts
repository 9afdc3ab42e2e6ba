import { statSync } from 'node:fs'
import { join } from 'node:path'
import { startDynamoDb } from './dynamodb.ts'
import { callFunction } from './function.ts'
import { checkResult, type Subject } from './subjects.ts'

/** Figures by name and unit. */
type Figures = Record<string, number>

/**
 * Starts and calls each function `starts` times, and returns the medians. Throws a CommandError
 * when one fails or returns a wrong response. `folder` gets temporary files.
 */
export const measure = async (subjects: Subject[], starts: number, folder: string) => {
  const dynamodb = await startDynamoDb(folder)
  const runs = subjects.map((subject): [Subject, Figures[]] => [subject, []])
  // The first start is not counted, because it reads the bundle from the disk.
  for (let round = 0; round <= starts; round++) {
    console.error(`Round ${round} of ${starts}`)
    for (const [subject, counted] of shuffled(runs)) {
      const { figures, ...outcome } = await callFunction(subject, dynamodb)
      checkResult(subject, outcome)
      if (round > 0) counted.push(figures)
    }
  }
  const rows = runs.map(([{ name, folder }, counted]) => [
    name,
    {
      ...mediansOf(counted),
      'bundle, KB': rounded(statSync(join(folder, 'index.js')).size / 1000),
    },
  ])
  return Object.fromEntries(rows)
}

/** In an order of its own for each round, so that no function always runs after the same one. */
const shuffled = <Each>(list: Each[]): Each[] =>
  list
    .map((each) => ({ each, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ each }) => each)

const mediansOf = (runs: Figures[]): Figures => {
  const names = Object.keys(runs[0] ?? {})
  return Object.fromEntries(
    names.map((name) => [name, rounded(median(runs.map((run) => run[name] ?? NaN)))]),
  )
}

const median = (numbers: number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN

const rounded = (figure: number): number => Number(figure.toPrecision(3))

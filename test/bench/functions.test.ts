import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { CommandError } from '../../infra/command-line.ts'
import type { Bundles } from '../support/bundles.ts'
import { coldStart } from './cold/cold-start.ts'
import { type DynamoDb, startDynamoDb } from './dynamodb/start-dynamodb.ts'
import { quickBundles } from './quick-bundles.ts'
import type { Surroundings } from './runtime/start-function.ts'
import { listOneStatus, readUnknown } from './subjects/calls.ts'
import { functions } from './subjects/functions.ts'
import type { Subject } from './subjects/subject.ts'
import { measurePipeline } from './warm/measure-pipeline.ts'
import { startWarm } from './warm/warm-function.ts'

const folder = mkdtempSync(join(tmpdir(), 'bench-'))
let bundles: Bundles
let dynamodb: DynamoDb
let surroundings: Surroundings

beforeAll(async () => {
  bundles = await quickBundles()
  dynamodb = await startDynamoDb(folder)
  const runtimeClient = fileURLToPath(new URL('runtime/least-client.mjs', import.meta.url))
  surroundings = { dynamodb, runtimeClient }
})

afterAll(() => dynamodb.stop())

/** A function whose source this is. */
const subjectOf = (source: string): Subject => {
  const own = mkdtempSync(join(folder, 'function-'))
  writeFileSync(join(own, 'index.mjs'), source)
  return { ...functions(bundles).getPet, name: 'some', folder: own, handler: 'index.handler', alsoRight: [] }
}

const positive = expect.toSatisfy((value) => value > 0)

test('a function is started from cold, and its answer checked', async () => {
  const start = await coldStart(functions(bundles).listPets, surroundings)

  expect(start).toEqual({ load: positive, call: positive, cpu: positive, memory: positive })
})

test('a function is called again and again, with any of its events', async () => {
  const { listPets, createPet, getPet } = functions(bundles)
  const started = [listPets, createPet, getPet].map((subject) => startWarm(subject, surroundings))
  const [list, create, read] = await Promise.all(started)
  onTestFinished(async () => void (await Promise.all([list, create, read].map((warm) => warm?.stop()))))

  const rows = [await list?.calls(2, listOneStatus), await create?.calls(2), await read?.calls(3, readUnknown)]

  expect(rows.map((row) => row?.microseconds)).toEqual([2, 2, 3].map((times) => Array(times).fill(positive)))
  expect(rows.map((row) => row?.cpu)).toEqual([positive, positive, positive])
})

test('what the pipeline adds is measured with and without a call of the SDK', async () => {
  const effort = { processes: 1, rounds: 1, calls: 2, warmUp: 1 }

  const figures = await measurePipeline(functions(bundles).getPet, folder, surroundings, effort)

  expect(figures.map(({ of }) => of)).toEqual(['pipeline of getPet', 'pipeline of getPet, alone'])
  expect(figures.map(({ value }) => value)).not.toContain(Number.NaN)
})

test.each([
  ['that answers wrongly', 'export const handler = async () => ({ statusCode: 200, body: "{}" })', 'wrong answer'],
  ['that fails', 'export const handler = async () => { throw new Error("Away.") }', 'Away.'],
  ['that does not load', 'process.stderr.write("Gone."); process.exit(3)', 'some ended with 3: Gone.'],
])('a function %s ends the bench, and says why', async (_, source, why) => {
  const subject = subjectOf(source)

  const cold = coldStart(subject, surroundings)
  const warm = startWarm({ ...subject, alsoRight: [subject.call] }, surroundings)
  const [coldError, warmError] = await Promise.all([cold, warm].map((start) => start.catch((error) => error)))

  expect([coldError, warmError]).toEqual([expect.any(CommandError), expect.any(CommandError)])
  expect([coldError.message, warmError.message]).toEqual([expect.stringContaining(why), expect.stringContaining(why)])
})

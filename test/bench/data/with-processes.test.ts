import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readEvent } from './events.ts'
import { startHandler } from './start-handler.ts'
import { type Start, withProcesses } from './with-processes.ts'

/** Starts a function that is made of this. */
const startWith = (start: Start, text: string, environment: Record<string, string> = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-function-'))
  writeFileSync(join(folder, 'start.mjs'), `export const handler = ${text}`)
  const bundles = { folderOf: () => folder, handlerOf: () => 'start.handler', environmentOf: () => ({}) }
  return startHandler(start, bundles, 'getPet', environment)
}

const invoke = (text: string) =>
  withProcesses(async (start) => (await startWith(start, text, { NAME: 'Rex' }))(readEvent(8)))

test('a function gets the event and its own environment, and is timed', async () => {
  const { response, ms } = await invoke(`async ({ pathParameters }) =>
    ({ statusCode: 200, body: JSON.stringify([pathParameters.petId, process.env.NAME, process.env.PATH]) })`)

  expect(response).toEqual({ statusCode: 200, body: '["8","Rex",null]' })
  expect(ms).toBeGreaterThan(0)
})

test('what a function does not answer well is no measurement', async () => {
  const call = invoke('async () => ({ statusCode: 503, body: "away" })')

  await expect(call).rejects.toThrow('A function answered 503: away')
})

test('nobody waits for a process that ends before it says anything, or in place of an answer', async () => {
  await expect(withProcesses((start) => start('item-size.ts', []))).rejects.toThrow('item-size.ts ended with 0.')
  await expect(invoke('async () => process.exit(7)')).rejects.toThrow('handler-process.ts ended with 7.')
})

test('no process is left behind', async () => {
  const [pid] = await withProcesses(async (start) => {
    const call = await startWith(start, 'async () => ({ statusCode: 200, body: process.pid })')
    const { response } = await call(readEvent(8))
    return [Number(response.body)]
  })

  expect(() => process.kill(pid ?? 0, 0)).toThrow('ESRCH')
})

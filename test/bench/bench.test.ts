import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operationIds } from '../../shared/contract.ts'
import { settings } from '../../shared/settings.ts'
import type { Bundles } from '../support/bundles.ts'
import { temporaryFolder } from '../support/command.ts'
import { bundleFile, bundlePipeline, functionFile } from './bundle.ts'
import { measure } from './measure.ts'
import { report } from './report.ts'
import { type Subject, subjectsOf } from './subjects.ts'

// As much of Lambda's runtime client as the run needs: only the bench installs the real one.
const RUNTIME_CLIENT = `
  import { createRequire } from 'node:module'
  const require = createRequire(import.meta.url)
  const client = require('./rapid-client.node')
  const { handler } = require(process.env.LAMBDA_TASK_ROOT)
  for (;;) {
    const { bodyJson } = await client.next()
    client.done('id', JSON.stringify(await handler(JSON.parse(bodyJson), {})))
  }`

test('a run checks and measures the functions, and prints a table of each kind', async () => {
  const folder = temporaryFolder()
  const runtimeClient = join(folder, 'runtime-client.mjs')
  writeFileSync(runtimeClient, RUNTIME_CLIENT)
  const { cold, warm, dynamodb } = subjectsOf(await bundlesIn(folder), await bundlePipeline(folder), [])
  // One or a few of each kind, because each takes processes and time.
  const some = { cold: cold.slice(0, 4), warm: warm.slice(-2), dynamodb }

  const run = await measure(some, { runtimeClient, starts: 1, folder })

  const functions = ['listPets', 'createPet', 'getPet']
  expect(namesOf(cold)).toEqual([...functions, ...functions.map((name) => `${name}, no first read`)])
  expect(namesOf(warm)).toEqual(['listPets, one status', 'listPets, all', 'createPet', 'getPet', 'getPet, no read'])
  const [coldTable, warmTable, dynamodbTable, machine, reach] = report(run).split('\n\n')
  expect(firstCells(coldTable)).toEqual(['cold', ...namesOf(some.cold)])
  expect(firstCells(warmTable)).toEqual(['warm', 'getPet', 'getPet, no read'])
  expect(run.figures.filter(({ table, value }) => table !== 'dynamodb' && !(value > 0))).toEqual([])
  // As few calls, and as little capacity, as these requests can do with.
  expect(dynamodbTable).toBe(
    [
      'dynamodb                    calls  read units  write units',
      'listPets, one status            1         0.5            0',
      'listPets, all                   1         0.5            0',
      'createPet                       1           0            3',
      'createPet, no status            1           0            2',
      'createPet, Idempotency-Key      2           0            4',
      'getPet                          1           1            0',
      'updatePet                       1',
      'deletePet                       1',
    ].join('\n'),
  )
  expect(machine).toMatch(/^\d+ cores of .+, \d+ GB of memory, Node\.js v\d/)
  expect(reach).toMatch(/^load \+ first call: getPet ÷ floor +1\.3 +1\.2 +not measured$/m)
  expect(reach).toMatch(/^largest bundle, KB +[\d.]+ +200 +40 +(aim )?reached$/m)
  expect(reach).not.toMatch(/units: .* not /)
})

/** Bundles as the bench gets them from CDK, which takes several times as long. */
const bundlesIn = async (folder: string): Promise<Bundles> => {
  const made = operationIds.map(async (id) => [id, await bundleFile(functionFile(id), folder)] as const)
  const folders = new Map(await Promise.all(made))
  return {
    folderOf: (id) => folders.get(id) ?? '',
    handlerOf: () => 'index.handler',
    environmentOf: () => Object.fromEntries(Object.values(settings).map(({ variable, local }) => [variable, local])),
    remove: () => {},
  }
}

const namesOf = (subjects: Subject[]): string[] => subjects.map(({ name }) => name)

const firstCells = (table = ''): string[] => table.split('\n').map((line) => line.replace(/ {2,}.*/, ''))

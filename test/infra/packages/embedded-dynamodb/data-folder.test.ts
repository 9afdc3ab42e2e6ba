import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  type DataFolder,
  DataFolderError,
  startEmbedded,
} from '../../../../infra/packages/embedded-dynamodb/index.ts'
import { temporaryFolder } from '../../../support/server.ts'
import { createTable, tablesAt } from './database.ts'

const newFolder = (): DataFolder => ({ path: temporaryFolder(), format: 2 })

const refused = (path: string, reason: string) =>
  new DataFolderError(`Cannot use the data folder ${path}: ${reason}`)

test('only one server at a time gets a data folder', async () => {
  const folder = newFolder()
  const { endpoint, close } = await startEmbedded({ folder })
  await createTable(endpoint)

  const second = startEmbedded({ folder })
  await expect(second).rejects.toEqual(refused(folder.path, 'another server is using it.'))
  await close()

  const third = await startEmbedded({ folder })
  onTestFinished(third.close)
  expect(await tablesAt(third.endpoint)).toEqual(['Things'])
})

/** The names and contents of the files in a folder. */
const filesIn = (path: string) =>
  readdirSync(path).map((file) => [file, readFileSync(join(path, file), 'latin1')])

const OTHER_FORMAT =
  'its data has the format 1, and this version uses 2. ' +
  'Use the commit that made it, or a new folder.'

test.each([
  ['with data of another format', 'format-2', 'format-1', OTHER_FORMAT],
  [
    'with files of another program',
    'format-2',
    'notes.txt',
    'it has files of another program. Choose a new folder.',
  ],
  [
    'that has lost a file',
    'CURRENT',
    'lost',
    'its file CURRENT is missing. Restore that file, or choose a new folder.',
  ],
])('refuses a data folder %s, and leaves it as it is', async (_name, file, renamed, reason) => {
  const folder = newFolder()
  const { endpoint, close } = await startEmbedded({ folder })
  await createTable(endpoint)
  await close()
  renameSync(join(folder.path, file), join(folder.path, renamed))
  const before = filesIn(folder.path)

  await expect(startEmbedded({ folder })).rejects.toEqual(refused(folder.path, reason))

  expect(filesIn(folder.path)).toEqual(before)
})

test.each([
  ['whose first start was cut off', ['format-2', 'LOCK', 'LOG', 'MANIFEST-000001', '000003.log']],
  ['that a file system and a desktop have marked', ['lost+found', '.DS_Store']],
])('uses a data folder %s', async (_name, files) => {
  const folder = newFolder()
  for (const file of files) writeFileSync(join(folder.path, file), '')

  const { endpoint, close } = await startEmbedded({ folder })
  onTestFinished(close)

  await createTable(endpoint)
  expect(await tablesAt(endpoint)).toEqual(['Things'])
  expect(readdirSync(folder.path)).toEqual(expect.arrayContaining(['CURRENT', 'format-2']))
})

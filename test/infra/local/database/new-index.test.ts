import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  PutCommand,
} from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../infra/local/database/database.ts'
import { startEmbedded } from '../../../../infra/local/database/embedded-database.ts'
import { createTables } from '../../../../infra/local/database/tables.ts'
import { filterIndex, tableName, tables } from '../../../../shared/data/tables.ts'
import { example, has } from '../../../support/example.ts'
import { environment } from '../../../support/process.ts'
import { endWithParent, listAll, ready, start, temporaryFolder } from '../../../support/server.ts'

const { table } = example
const { field, value, other } = example.filter
const { index, name } = filterIndex(field)

beforeEach(({ skip }) => skip(!has.filter))

const AGE = { name: 'ageShard', type: 'S' }

/** Opens a data folder as an earlier version, whose lists have the filter `age` and no other. */
const asEarlierVersion = async (
  folder: string,
  use: (client: DynamoDBDocumentClient, TableName: string) => Promise<unknown>,
) => {
  const current = tables[table]
  const indexes = { newest: current.indexes.newest, byAge: AGE }
  Object.assign(tables, { [table]: { ...current, indexes } })
  const { endpoint, close } = await startEmbedded(folder)
  useDatabase({ endpoint, isNamed: false })
  await createTables(true)
  Object.assign(tables, { [table]: current })
  await use(DynamoDBDocumentClient.from(new DynamoDBClient({})), tableName(table))
  await close()
}

const ITEMS = 250

const itemOf = (id: number, of: string) => ({
  ...example.body('x'.repeat(500)),
  id,
  shard: 0,
  [AGE.name]: '7#0',
  [field]: of,
  [name]: `${of}#0`,
  revision: 'x',
})

/** A data folder of an earlier version, whose items have what a new index needs. */
const earlierFolder = async (): Promise<string> => {
  const folder = temporaryFolder()
  await asEarlierVersion(folder, async (client, TableName) => {
    for (let first = 1; first < ITEMS; first += 25) {
      const items = Array.from({ length: 25 }, (_, i) => itemOf(first + i, value))
      const puts = items.map((Item) => ({ PutRequest: { Item } }))
      await client.send(new BatchWriteCommand({ RequestItems: { [TableName]: puts } }))
    }
  })
  return folder
}

const lineOf = (items: number) =>
  `The table ${tableName(table)} has a new index, ${index}, with ${items} of its ${items} items.\n`

const idsOf = (resources: { id: number }[]) => resources.map(({ id }) => id)
const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => from - i)

test('a data folder of an earlier version gets a new index, even if starts are killed meanwhile', async () => {
  const folder = await earlierFolder()
  const preloaded = resolve('test/faults/die-at-write.ts')
  for (const place of ['1 during', '2 before', '2 after']) {
    const [DIE_AT_WRITE = '', DIE_WHEN = ''] = place.split(' ')
    const env = { NODE_OPTIONS: `--import=${preloaded}`, DIE_AT_WRITE, DIE_WHEN }
    await expect(start(['--data', folder], env)).rejects.toThrow('ended with null: ')
  }
  await asEarlierVersion(folder, async (client, TableName) => {
    await client.send(new DeleteCommand({ TableName, Key: { id: 1 } }))
    await client.send(new PutCommand({ TableName, Item: itemOf(2, other) }))
  })

  const server = await start(['--data', folder])

  expect(server.output()).toMatch(new RegExp(`^${lineOf(ITEMS - 1)}`))
  expect(idsOf(await listAll(server))).toEqual(down(ITEMS, 2))
  expect(idsOf(await listAll(server, `&${field}=${value}`))).toEqual(down(ITEMS, 3))
  expect(idsOf(await listAll(server, `&${field}=${other}`))).toEqual([2])
  await server.stop()
  await asEarlierVersion(folder, async (client, TableName) => {
    await client.send(new PutCommand({ TableName, Item: itemOf(3, other) }))
  })
  const last = await start(['--data', folder])
  expect(last.output()).not.toContain('new index')
  expect(idsOf(await listAll(last, `&${field}=${other}`))).toEqual([3, 2])
})

test('a full disk says so, and the next start makes the index', async () => {
  const folder = await earlierFolder()
  // A limit on the size of files stands for the size of the disk.
  const command =
    'start() { ulimit -f 128; exec node "$OPTION" "$1" --port 0 --data "$FOLDER"; }; start infra/local/main.ts'
  const env = { ...environment, OPTION: endWithParent, FOLDER: folder }

  const full = ready(spawn('bash', ['-c', command], { env }))

  const message = /ended with 1: Cannot use the data folder: IO error: .+: File too large\n$/
  await expect(full).rejects.toThrow(message)
  const server = await start(['--data', folder])
  expect(server.output()).toContain(lineOf(ITEMS))
  expect(await listAll(server, `&${field}=${value}`)).toHaveLength(ITEMS)
})

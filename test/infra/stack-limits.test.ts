import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { entries, operationIds } from '../../shared/contract.ts'
import { tableName, tables } from '../../shared/data/tables.ts'
import type { ProxyEvent } from '../../shared/pipeline/gateway-event.ts'
import { proxy } from '../support/database.ts'
import { eventOf } from '../support/events.ts'
import { invoke } from '../support/invoke.ts'
import { propertiesOf, synthesize, templateOf } from './stack/template.ts'

const text = readFileSync('infra/LIMITS.md', 'utf8')
/** The numbers of the text that stand in the groups of a pattern. */
const numbersIn = (pattern: RegExp): number[] => {
  const found = pattern.exec(text.replaceAll('\n', ' '))
  if (!found) throw new Error(`infra/LIMITS.md has no ${pattern}`)
  return found.slice(1).map(Number)
}

type Input = { TableName?: string; TransactItems?: Record<string, { Item?: object }>[] }

const indexes = Object.values(tables).flatMap((table) => Object.values(table.indexes))
const indexKeys = new Set(indexes.map(({ name }) => name))

/** The units of DynamoDB that a call costs: reads of up to 4 KB, writes of up to 1 KB. */
const unitsOf = async (event: ProxyEvent) => {
  const units = { reads: 0, writes: 0 }
  proxy.faultOf = ({ operation, body }) => {
    const { TableName, TransactItems = [] }: Input = JSON.parse(body)
    const written = TransactItems.flatMap(({ Put }) => Object.keys(Put?.Item ?? {}))
    units.writes += 2 * TransactItems.length + written.filter((name) => indexKeys.has(name)).length
    if (operation === 'Query') units.reads += 0.5
    // Functions remember API keys.
    if (operation === 'GetItem' && TableName !== tableName('apiKeys')) units.reads += 1
    return 'pass'
  }
  const response = await invoke(event)
  return { ...units, response }
}

/** Dollars for a million requests of each kind, and the row that says so. */
const costs = async () => {
  const [gateway = 0, lambda = 0, seconds = 0, second = 0, logs = 0, log = 0] = numbersIn(
    /Gateway ([\d.]+); Lambda ([\d.]+), and ([\d.]+) GB-s × ([\d.]+); logs ([\d.]+) GB × ([\d.]+)\./,
  )
  const [read = 0, write = 0] = numbersIn(
    /million reads cost ([\d.]+), a million writes ([\d.]+)\. /,
  )
  const headers = { 'Idempotency-Key': 'a' }
  const create = await unitsOf(eventOf('createPet-created', { headers }))
  const ordered = { 'Idempotency-Key': 'b' }
  const order = `{"petId":${create.response.body.id}}`
  const changed = { headers, id: `${create.response.body.id}`, body: '{"name":"Max"}' }
  const placed = await unitsOf(eventOf('placeOrder-placed', { headers: ordered, body: order }))
  const kinds = {
    list: await unitsOf(eventOf('listPets-no-parameters')),
    read: await unitsOf(eventOf('getOrder-found')),
    create,
    change: await unitsOf(eventOf('updatePet-changed', changed)),
    // The status of the pet changes, so its index is written twice.
    order: { ...placed, writes: placed.writes + 1 },
    'refused write': await unitsOf(eventOf('placeOrder-placed', { headers })),
    'invalid write': await unitsOf(eventOf('cancelOrder-canceled', { headers, id: 'x' })),
  }
  const fixed = gateway + lambda + seconds * second * 1e6 + logs * log
  return Object.entries(kinds).map(([kind, { reads, writes }]) => {
    const cost = fixed + reads * read + writes * write
    return { kind, cost, row: `| ${kind} | ${reads} | ${writes} | ${cost.toFixed(2)} |` }
  })
}

const alarmMetrics = (stage: 'staging' | 'production'): number =>
  propertiesOf(templateOf(stage), 'AWS::CloudWatch::Alarm')
    .flatMap(({ Metrics = [{ MetricStat: {} }] }: { Metrics?: object[] }) => Metrics)
    .filter((metric) => 'MetricStat' in metric).length

const resources = (contract: Partial<typeof entries>): number =>
  Object.keys(synthesize('production', {}, contract).template.toJSON().Resources).length

test('infra/LIMITS.md has the numbers of this service; npm test -- test/infra/stack-limits --update writes them there', async () => {
  const kinds = await costs()
  const shares = numbersIn(/(\d+) % lists, (\d+) % reads and (\d+) % creates/)
  const mean = shares.reduce((sum, share, i) => sum + (share / 100) * (kinds[i]?.cost ?? 0), 0)
  const [dashboard = 0, metric = 0] = numbersIn(/dashboard ([\d.]+),[^.]+alarm ([\d.]+)\./)
  const inStaging = alarmMetrics('staging')
  const ofOperation = (alarmMetrics('production') - inStaging) / operationIds.length
  const { listPets } = entries
  const added = (resources(entries) - resources({ listPets })) / (operationIds.length - 1)
  const most = operationIds.length + (500 - resources(entries)) / added

  const numbers: [RegExp, string][] = [
    ...kinds.map(({ kind, row }): [RegExp, string] => [new RegExp(`^\\| ${kind} \\|.+`, 'm'), row]),
    [/(?<=request a second costs )[\d.]+/, (mean * 730 * 0.0036).toFixed(2)],
    [/(?<=idle month costs )[\d.]+/, (dashboard + inStaging * metric).toFixed(2)],
    [/(?<=in production )[\d.]+(?= more for each)/, (ofOperation * metric).toFixed(2)],
    [/(?<=adds about )\d+(?= resources)/, added.toFixed()],
    [/(?<=\| about )\d+(?=: an operation)/, `${10 * Math.floor(most / 10)}`],
  ]
  expect(numbers.filter(([said]) => !said.test(text))).toEqual([])
  const expected = numbers.reduce((rest, [said, right]) => rest.replace(said, right), text)
  await expect(expected).toMatchFileSnapshot(resolve('infra/LIMITS.md'))
})

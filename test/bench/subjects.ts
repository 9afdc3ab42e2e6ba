import { isDeepStrictEqual } from 'node:util'
import { CommandError } from '../../infra/command-line.ts'
import type { OperationId } from '../../shared/contract.ts'
import { filterIndex, tableIds, tableVariable } from '../../shared/data/tables.ts'
import type { Event, Result } from '../../shared/pipeline/http.ts'
import { service } from '../../shared/service.ts'
import { settings } from '../../shared/settings.ts'
import type { Bundles } from '../support/bundles.ts'
import { eventOf } from '../support/events.ts'
import { example } from '../support/example.ts'
import { RESOURCE } from './dynamodb.ts'
import type { Bundled } from './peers.ts'

/** A measured function: Lambda loads `handler`, a file and its export, from `folder`. */
export type Subject = {
  name: string
  folder: string
  handler: string
  environment: Record<string, string>
  /** What it is called with. */
  event: Event
  /** The number of items in a right response. */
  items: number
}

/** What each table measures. */
export type Subjects = { cold: Subject[]; warm: Subject[] }

const { table, list, create, events, filter } = example

/**
 * The rows of what the peers do too, a filtered list with one item, and of a whole page and a
 * filtered one.
 */
export const ONE = `${list}, 1 ${example.title.toLowerCase()}`
export const [ALL, FILTERED] = [`${list}, all`, `${list}, one ${filter.field}`]

const NAMES_OF_TABLES = Object.fromEntries(tableIds.map((id) => [tableVariable(id), id]))

const listEvent = (query: Record<string, string>): Event => eventOf(events.list, { query })
const filtered = { [filter.field]: filter.value }
const one = { event: listEvent({ ...filtered, limit: '1' }), items: 1 }

/** Returns the subjects of each table: the functions of the service beside the peers. */
export const subjectsOf = (bundles: Bundles, peers: Bundled[]): Subjects => {
  const functionOf = (
    id: OperationId,
    call: Pick<Subject, 'event' | 'items'>,
    name: string = id,
  ): Subject => {
    const prefix = { [settings.keyPrefix.variable]: settings.keyPrefix.local }
    const environment = { ...bundles.environmentOf(id), ...NAMES_OF_TABLES, ...prefix }
    return {
      name,
      folder: bundles.folderOf(id),
      handler: bundles.handlerOf(id),
      environment,
      ...call,
    }
  }
  const all = { event: listEvent({}), items: 20 }
  const shortest = functionOf(list, one, ONE)
  const creation = functionOf(create, {
    event: eventOf(events.create, { body: JSON.stringify(RESOURCE) }),
    items: 1,
  })
  const functions = [functionOf(list, all), creation, shortest]
  const lists = [
    functionOf(list, { event: listEvent(filtered), items: 20 }, FILTERED),
    functionOf(list, all, ALL),
  ]
  const others = peers.map(peerOf)
  return {
    cold: [...functions, ...functions.map(withoutFirstRead), ...others],
    warm: [shortest, ...lists, creation, ...others],
  }
}

/**
 * The same function without its read during Lambda's init phase: what is left is its code alone, as
 * with the peers.
 */
const withoutFirstRead = (subject: Subject): Subject => ({
  ...subject,
  name: `${subject.name}, no first read`,
  environment: { ...subject.environment, AWS_LAMBDA_INITIALIZATION_TYPE: '' },
})

const peerOf = (peer: Bundled): Subject => {
  const powertools = {
    POWERTOOLS_LOG_LEVEL: 'WARN',
    POWERTOOLS_METRICS_NAMESPACE: service.stack,
    POWERTOOLS_SERVICE_NAME: service.name,
  }
  const { index, name } = filterIndex(filter.field)
  const listed = {
    LIST_TABLE: table,
    LIST_INDEX: index,
    LIST_PARTITION: name,
    LIST_FILTER: filter.field,
    LIST_FIELDS: `id,${Object.keys(RESOURCE)}`,
  }
  return {
    ...peer,
    handler: 'index.handler',
    environment: { ...NAMES_OF_TABLES, ...listed, ...powertools },
    ...one,
  }
}

/** Throws a CommandError for an error or a wrong response: a failure may be fast. */
export const checkResult = (
  { name, items }: Subject,
  { error, result }: { error?: string; result?: Result },
): void => {
  if (error !== undefined || !result) throw new CommandError(`${name} failed: ${error}`)
  const found = result.statusCode < 300 ? [JSON.parse(result.body)].flat() : []
  if (
    found.length !== items ||
    !found.every(
      (each) => Number.isInteger(each.id) && isDeepStrictEqual(each, { ...each, ...RESOURCE }),
    )
  )
    throw new CommandError(`${name} gave a wrong response: ${JSON.stringify(result)}`)
}

import { collections } from '../../shared/collections.ts'
import type { AnyCollection } from '../../shared/data/collection.ts'
import type { Attributes } from '../../shared/data/indexes.ts'
import type { PageQuery } from '../../shared/data/list.ts'
import { type TableId, tableIds, tables } from '../../shared/data/tables.ts'
import type { Item, Key, TransactAction } from '../../shared/data/transaction-store.ts'
import { deepFreeze } from '../../shared/model/deep-freeze.ts'
import { isExpired } from '../../shared/model/expiry.ts'
import type { OperationResponse } from '../../shared/pipeline/respond-once.ts'
import type { StoredAtFirst } from './all-orders.ts'
import type { Progress } from './request-code.ts'
import type { Event } from './story.ts'

// A model of DynamoDB: transactions take effect late, or although their responses get lost; they
// conflict; a commit becomes visible item by item; items expire. A request and its late writes end
// within hours, and an idempotency record is valid for 24 hours, so the clock moves by eight hours, and at
// most once while they last.

/** Items by the names of their keys. */
export type Items = Record<string, Item | undefined>
export type Write = { revision: string; actions: TransactAction[] }
/** A write, and the name of its request. */
export type SentWrite = Write & { by: string }

export type RequestState =
  | {
      kind: 'running'
      /** When it started. Before its first event, it has not. */
      since: number | undefined
      progress: Progress
      /** The responses without an effect that it alone would have got at some moment. */
      right: string[]
    }
  | { kind: 'ended'; as: string }

export type State = {
  /** In units of eight hours. */
  now: number
  /** What was stored before the first event. */
  first: Items
  items: Items
  /** The items of a commit that is not visible everywhere: a single read may find the old one. */
  hidden: string[]
  /** What was stored before that commit; nothing once it is visible. */
  before: Items
  /** Writes that took effect, by their revisions. */
  commits: Record<string, SentWrite>
  /** Writes that may still take effect, whether or not their requests resend them. */
  late: (SentWrite & { since: number })[]
  /**
   * Whether a request has met a conflict. One does, because a run that is canceled leaves nothing:
   * after a second conflict, only the revisions differ.
   */
  hasConflicted: boolean
  requests: Record<string, RequestState>
}

/** The response to a request; `right` are those without an effect that were right before. */
export type GotResponse = {
  by: string
  since: number
  response: OperationResponse
  hasListed: boolean
  right: string[]
}

/** An event, the state that it leads to, and what came of it. */
export type Step = {
  event: Event
  next: State
  /** The write that was carried out. */
  write?: SentWrite
  response?: GotResponse
  /** Why a request has failed, which is a bug. */
  failure?: { by: string; error: Error }
}

/** When the clock starts, in milliseconds since 1970. */
export const START = Date.UTC(2026, 10, 20, 12)
export const EIGHT_HOURS = 8 * 3_600_000

export const nameOf = ({ table, value }: Key): string => `${table} ${value}`

/** The revision of what is stored at first. */
export const STORED = 'stored'

/** The state before the first event. One write has put what is stored at first. */
export const initialState = (stored: StoredAtFirst, requests: State['requests']): State => {
  const actions = tableIds.flatMap((table) =>
    (stored[table] ?? []).map((resource) => storing(table, resource)),
  )
  const items = sorted(writtenItems(actions))
  const commits = { [STORED]: { revision: STORED, by: '', actions } }
  const visible = { items, hidden: [], before: {} }
  return { now: 0, first: items, ...visible, commits, late: [], hasConflicted: false, requests }
}

const storing = (table: TableId, resource: Attributes): TransactAction => {
  const { name } = tables[table].partitionKey
  const { [name]: value } = resource
  if (typeof value !== 'number' && typeof value !== 'string')
    throw new Error(`An item of ${table} that is stored at first needs its key, ${name}.`)
  const collection = (collections as Partial<Record<TableId, AnyCollection>>)[table]
  const written = { ...resource, revision: STORED }
  const item = deepFreeze({ ...written, ...collection?.upgradedItem(written) })
  return { kind: 'put', key: { table, value }, expected: undefined, item }
}

/** What can happen without a request. */
export function* databaseSteps(state: State, pauses: number): Generator<Step> {
  for (const write of state.late) {
    const { next } = carryOut(state, write)
    if (next !== state)
      yield {
        event: (say) => `${write.by}'s late write ${say.write(write)}`,
        next,
        write,
      }
  }
  for (const name of state.hidden)
    yield { event: (say) => `${say.name(name)} becomes visible`, next: showing(state, [name]) }
  for (const [name, item] of Object.entries(state.items))
    if (hasExpired(item, state.now)) {
      const items = { ...state.items, [name]: undefined }
      yield { event: (say) => `${say.name(name)} expires`, next: { ...state, items } }
    }
  if (state.now < pauses && !Object.values(state.requests).some((each) => isOld(state, each)))
    yield { event: () => 'eight hours pass', next: eightHoursLater(state) }
}

const isOld = ({ now }: State, request: RequestState): boolean =>
  request.kind === 'running' && request.since !== undefined && request.since !== now

const eightHoursLater = (state: State): State => ({
  ...showing(state, state.hidden),
  now: state.now + 1,
  late: state.late.filter(({ since }) => since === state.now),
})

/** The state in which these items are visible. */
export const showing = (state: State, names: string[]): State => {
  const hidden = state.hidden.filter((name) => !names.includes(name))
  return { ...state, hidden, before: hidden.length > 0 ? state.before : {} }
}

/** Whether a write took effect: not if these items have `changed`. */
export type WriteOutcome = { isWritten: boolean; changed: string[] }

const WRITTEN: WriteOutcome = { isWritten: true, changed: [] }

/**
 * Carries out a write as DynamoDB does. It has no outcome while another transaction holds an item.
 */
export const carryOut = (
  state: State,
  { revision, by, actions }: SentWrite,
): { outcome?: WriteOutcome; next: State } => {
  const { items, hidden, commits } = state
  if (actions.some(({ key }) => hidden.includes(nameOf(key)))) return { next: state }
  if (commits[revision]) return { outcome: WRITTEN, next: state }
  const refused = actions.filter(({ key, expected }) => items[nameOf(key)]?.revision !== expected)
  const changed = refused.map(({ key }) => nameOf(key))
  if (changed.length > 0) return { outcome: { isWritten: false, changed }, next: state }
  const written = writtenItems(actions)
  const next = {
    ...state,
    items: sorted({ ...items, ...written }),
    ...hiding(state, written),
    commits: sorted({ ...commits, [revision]: { revision, by, actions } }),
  }
  return { outcome: WRITTEN, next }
}

/** What a write puts, and `undefined` for what it deletes. */
const writtenItems = (actions: TransactAction[]): Items => {
  const written: Items = {}
  for (const action of actions)
    if (action.kind !== 'check')
      written[nameOf(action.key)] = action.kind === 'put' ? action.item : undefined
  return written
}

/** What a commit of several items hides. That of one item is visible at once. */
const hiding = ({ items, hidden, before }: State, written: Items) => {
  const names = Object.keys(written).sort()
  if (names.length > 1) return { hidden: names, before: items }
  return { hidden, before: hidden.length > 0 ? sorted({ ...before, ...written }) : {} }
}

/** The page of a list, as an index has it that knows these items. */
export const pageOf = (items: Items, { table, limit, cursor, filter }: PageQuery) => {
  const listed = Object.entries(items)
    .flatMap(([name, item]) => (item && name.startsWith(`${table} `) ? [item] : []))
    .filter((item) => !filter || item[filter.field] === filter.value)
    .filter(({ id }) => cursor === undefined || Number(id) < cursor)
    .sort((a, b) => Number(b.id) - Number(a.id))
  const page = listed.slice(0, limit)
  return { items: page, next: listed.length > limit ? Number(page.at(-1)?.id) : undefined }
}

/** Whether an item has expired after so many times eight hours. */
export const hasExpired = (item: Item | undefined, now: number): boolean =>
  isExpired(item?.expiresAt, START + now * EIGHT_HOURS)

/** Whether a write changes anything but an idempotency record. */
export const changesItems = (actions: TransactAction[]): boolean =>
  actions.some(({ kind, key }) => kind !== 'check' && key.table !== 'idempotencyKeys')

/** States that differ only in the order of events are one. */
const sorted = <Value>(record: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))

import type { Item, Key, TransactAction, Written } from '../../shared/data/database.ts'
import { type Decision, earlierDecision, reserve } from '../../shared/data/reservations.ts'
import type { Transaction } from '../../shared/data/transaction.ts'
import { ApiError } from '../../shared/model/api-error.ts'
import type { Revised } from '../../shared/model/etag.ts'
import { type KeyedRequest, reservationId } from '../../shared/model/idempotency-key.ts'
import { refusalOf } from '../../shared/pipeline/responses.ts'

// A model of DynamoDB: transactions take effect late, or although their responses get lost; they
// conflict; a commit becomes visible item by item; items expire. A request and its late writes end
// within hours, and a reservation is valid for 24 hours, so the clock moves by eight hours, and at
// most once while they last.

/** A request of a client: what it does, and the status of its success. */
export type Attempt = {
  status: number
  work: (tx: Transaction) => Promise<Revised<object>> | Promise<void>
  /** With an idempotency key: it takes effect once for this intent. */
  intent?: KeyedRequest | undefined
  /** The ids that its runs draw; by default ids of its own. */
  draws?: number[]
}

export type Response = Decision & { isReplay: boolean }

/** Does the work of an attempt as the pipeline does (`shared/pipeline/operation.ts`). */
export const respond = async (tx: Transaction, attempt: Attempt): Promise<Response> => {
  const { intent } = attempt
  const earlier = intent && (await earlierDecision(tx, intent))
  if (earlier) return { ...earlier, isReplay: true }
  const decision = await decide(tx, attempt)
  if (intent) reserve(tx, intent, decision)
  return { ...decision, isReplay: false }
}

const decide = async (tx: Transaction, { status, work }: Attempt): Promise<Decision> => {
  try {
    const result = await work(tx)
    return result ? { status, body: bodyOf(result), etag: result.revision } : { status, body: '' }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    tx.discard()
    return refusalOf(error)
  }
}

/** No schema of a response has the revision. */
const bodyOf = ({ resource }: Revised<object>): string =>
  JSON.stringify({ ...resource, revision: undefined })

export type Scenario = {
  attempts: Attempt[]
  /** What is stored at first, by one transaction. */
  stored?: [Key, Item][]
  /** How often eight hours pass. */
  clock?: number
  /** What is wrong about items that are stored together. */
  errorOf?: (items: Items) => string | undefined
  /** Whether the condition of an action is true. */
  holds?: (item: Item | undefined, action: TransactAction) => boolean
  /** What the pipeline does with an attempt. */
  pipeline?: typeof respond
}

/** Items by the names of their keys. */
export type Items = Record<string, Item | undefined>
export type Write = { token: string; actions: TransactAction[] }
/** Writes that took effect, by their tokens, each with the number of its caller. */
type Commits = Record<string, { by: number; actions: TransactAction[] }>

/** A caller: when it started, and the results of its calls, each with its time; or how it ended. */
export type Caller = {
  since?: number
  results: [unknown, number][]
  /**
   * The responses without an effect that were right since it started: what it alone would have got
   * at some moment.
   */
  right: string[]
  ended?: string
}

export type State = {
  /** In units of eight hours. */
  now: number
  items: Items
  /** The items of a commit that is not visible everywhere: a single read may find the old one. */
  hidden: string[]
  /** What was stored before that commit; nothing once it is visible. */
  before: Items
  commits: Commits
  callers: Caller[]
  /** Writes that may still take effect, whether or not their callers resend them. */
  late: (Write & { by: number; since: number })[]
}

/** An event, and the state that it leads to, or what is wrong about it. */
export type Step = { event: string; next: State | string }

/** When the clock starts, in milliseconds since 1970. */
export const START = Date.UTC(2026, 10, 20, 12)
export const EIGHT_HOURS = 8 * 3_600_000

export const nameOf = ({ table, value }: Key): string => `${table} ${value}`

export const reservationName = (intent: KeyedRequest): string =>
  nameOf({ table: 'idempotencyKeys', value: reservationId(intent) })

export const initialState = ({ attempts, stored = [] }: Scenario): State => {
  const actions = stored.map(
    ([key, item]): TransactAction => ({ kind: 'put', key, expected: undefined, item }),
  )
  const items = Object.fromEntries(stored.map(([key, item]) => [nameOf(key), item]))
  const commits = Object.fromEntries(
    stored.map(([, { revision }]) => [revision, { by: -1, actions }]),
  )
  return {
    now: 0,
    items,
    hidden: [],
    before: {},
    commits,
    callers: attempts.map(() => ({ results: [], right: [] })),
    late: [],
  }
}

/** What can happen without a caller. */
export function* stepsOfDatabase(state: State, scenario: Scenario): Generator<Step> {
  const { now, items, hidden, callers, late } = state
  for (const write of late) {
    const { next } = carryOut(state, write.by, write, scenario)
    if (next !== state) yield { event: `${write.token} takes effect late`, next }
  }
  for (const name of hidden)
    yield { event: `${name} becomes visible`, next: showing(state, [name]) }
  for (const [name, item] of Object.entries(items))
    if (isExpired(item, now))
      yield {
        event: `${name} is removed`,
        next: { ...state, items: { ...items, [name]: undefined } },
      }
  const isOld = ({ since, ended }: Partial<Caller>) =>
    !ended && since !== undefined && since !== now
  const later = {
    ...showing(state, hidden),
    now: now + 1,
    late: late.filter((each) => !isOld(each)),
  }
  if (now < (scenario.clock ?? 0) && !callers.some(isOld))
    yield { event: 'eight hours pass', next: later }
}

/** The state in which these items are visible. */
export const showing = (state: State, names: string[]): State => {
  const hidden = state.hidden.filter((name) => !names.includes(name))
  return { ...state, hidden, before: hidden.length > 0 ? state.before : {} }
}

const WRITTEN: Written = { kind: 'written' }

/**
 * Carries out a write as DynamoDB does. It has no outcome while another transaction holds an item.
 */
export const carryOut = (
  state: State,
  by: number,
  { token, actions }: Write,
  scenario: Scenario,
): { outcome?: Written; next: State | string } => {
  const { items, hidden, commits } = state
  const { holds = hasRevision, errorOf } = scenario
  if (actions.some(({ key }) => hidden.includes(nameOf(key)))) return { next: state }
  if (commits[token]) return { outcome: WRITTEN, next: state }
  const refused = actions.filter((action) => !holds(items[nameOf(action.key)], action))
  if (refused.length > 0)
    return { outcome: { kind: 'refused', keys: refused.map(({ key }) => key) }, next: state }
  const written = Object.fromEntries(
    actions.flatMap((action) =>
      action.kind === 'check'
        ? []
        : [[nameOf(action.key), action.kind === 'put' ? action.item : undefined] as const],
    ),
  )
  const next: State = {
    ...state,
    items: sorted({ ...items, ...written }),
    ...hiding(state, written),
    commits: sorted({ ...commits, [token]: { by, actions } }),
  }
  return {
    outcome: WRITTEN,
    next: errorOfWrite(state, by, actions, scenario) ?? errorOf?.(next.items) ?? next,
  }
}

/** What a commit of several items hides. That of one item is visible at once. */
const hiding = ({ items, hidden, before }: State, written: Items) => {
  const names = Object.keys(written).sort()
  if (names.length > 1) return { hidden: names, before: items }
  return { hidden, before: hidden.length > 0 ? sorted({ ...before, ...written }) : {} }
}

/** The condition of an action, as the service states it. */
export const hasRevision = (item: Item | undefined, { expected }: TransactAction): boolean =>
  item?.revision === expected

export const isExpired = (item: Item | undefined, now: number): boolean =>
  item?.expiresAt !== undefined && Number(item.expiresAt) * 1000 <= START + now * EIGHT_HOURS

export const isCreate = ({ kind, expected }: TransactAction): boolean => kind === 'put' && !expected

/** Whether a write changes anything but a reservation. */
export const changesItems = (actions: TransactAction[]): boolean =>
  actions.some(({ kind, key }) => kind !== 'check' && key.table !== 'idempotencyKeys')

const errorOfWrite = (
  state: State,
  by: number,
  actions: TransactAction[],
  { attempts }: Scenario,
): string | undefined => {
  const { now, items, commits, callers } = state
  const { ended = 'crashed' } = callers[by] ?? {}
  if (ended !== 'crashed') return 'A request took effect after its response.'
  if (Object.values(commits).some((commit) => commit.by === by))
    return 'A request took effect twice.'
  const reserves = actions.some(({ key }) => key.table === 'idempotencyKeys')
  if (attempts[by]?.intent && !reserves) return 'A request took effect without its reservation.'
  const errors = actions.map(({ kind, key, expected }) => {
    const item = items[nameOf(key)]
    if (key.table === 'idempotencyKeys')
      return item && !isExpired(item, now) && 'A key took effect twice.'
    if (item?.revision === expected) return undefined
    if (kind === 'check') return 'A request took effect although what it had read was changed.'
    if (!expected) return 'An id got two resources.'
    return item ? 'A write undid another one.' : 'A deleted resource came back.'
  })
  return errors.find(Boolean) || undefined
}

/** States that differ only in the order of events are one. */
const sorted = <Value>(record: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))

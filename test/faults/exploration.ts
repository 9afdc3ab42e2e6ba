import { hash } from 'node:crypto'
import {
  type Action,
  type Database,
  type Item,
  type Key,
  runOn,
  type Transaction,
} from '../../shared/data/transaction.ts'
import { ApiError } from '../../shared/model/api-error.ts'
import type { Intent } from '../../shared/model/idempotency-key.ts'
import { at, NOW } from '../support/clock.ts'

// Explores every order of events between a model of DynamoDB and concurrent requests, which run the service's own code:
// requests crash; writes take effect late, or although their responses get lost; transactions conflict; a commit becomes
// visible item by item; items expire. The clock moves by eight hours, and at most once during a request with its late writes.

/** A request of a client. */
export type Attempt = {
  work: (open: Transaction) => Promise<unknown>
  /** What it creates is reserved for this intent. */
  intent?: Intent | undefined
  /** The ids that its runs draw; by default ids of its own. */
  draws?: number[]
  /** Whether an error response is wrong, given what is stored. */
  isWrong: (status: number, items: Items, isValid: (item: Item) => boolean) => boolean
}

/** Items by the names of their keys. */
export type Items = Record<string, Item>
type Write = { token: string; actions: Action[] }
type Call = { keys: Key[]; actions?: never } | Write
type Commit = { by: number; actions: Action[] }
export type Commits = Record<string, Commit>

/** A running attempt: the results of its calls, each with its time, and when it started. */
type Running = { attempt: number; results: [unknown, number][]; since?: number; ended?: never }
type Caller = Running | { ended: string }

type State = {
  now: number
  items: Items
  /** What a single read may still find, because the commit that wrote the item is not visible everywhere. */
  before: Record<string, Item | null>
  commits: Commits
  callers: Caller[]
  /** Writes that may still take effect, whether or not their callers resend them. */
  late: (Write & { by: number; since: number })[]
}

/** What an exploration needs: a scenario, and how it breaks the rules. */
export type Scenario = {
  attempts: Attempt[]
  /** What is stored at first, by one transaction. */
  stored?: [Key, Item][]
  /** How often eight hours pass. */
  clock?: number
  /** Whether the condition of an action is true. */
  holds?: (item: Item | undefined, action: Action, commits: Commits) => boolean
  /** The database as the service sees it. */
  wrap?: (database: Database) => Database
}

/** An event, and the state that it leads to, or what is wrong about it. */
type Step = { event: string; next: State | string }

export const nameOf = ({ table, value }: Key): string => `${table} ${value}`

/**
 * Visits all states. Returns their number, how the requests end if none crashes, and the first error with the events before
 * it. When all requests have ended, each of them is sent once more.
 */
export const explore = async (scenario: Scenario) => {
  const { attempts, stored = [] } = scenario
  const actions = stored.map(([key, item]): Action => ({ key, expected: undefined, write: { item } }))
  const first: State = {
    now: 0,
    items: Object.fromEntries(stored.map(([key, item]) => [nameOf(key), item])),
    before: {},
    commits: Object.fromEntries(stored.map(([, { revision }]) => [revision, { by: -1, actions }])),
    callers: attempts.map((_, attempt) => ({ attempt, results: [] })),
    late: [],
  }
  const progressOf = memoized(scenario)
  const open: { state: State; events: string[] }[] = [{ state: first, events: [] }]
  const seen = new Set<string>()
  const ends = new Set<string>()
  for (const { state, events } of open) {
    const steps = [...stepsOfDatabase(state, scenario), ...lastAttempts(state, attempts)]
    for (const i of state.callers.keys()) steps.push(...(await stepsOfCaller(state, i, scenario, progressOf)))
    if (isOver(state))
      ends.add(
        state.callers
          .map(({ ended }) => ended)
          .slice(0, attempts.length)
          .join(' '),
      )
    else if (steps.length === 0) steps.push({ event: 'nothing happens', next: 'A request waits for ever.' })
    for (const { event, next } of steps) {
      if (typeof next === 'string') return { states: seen.size, wrong: next, events: [...events, event], ends: [] }
      const digest = hash('sha1', JSON.stringify(next))
      if (!seen.has(digest)) open.push({ state: next, events: [...events, event] })
      seen.add(digest)
    }
  }
  return {
    states: seen.size,
    wrong: undefined,
    events: [],
    ends: [...ends].filter((end) => !end.includes('crashed')).sort(),
  }
}

const isOver = ({ callers }: State): boolean => callers.every(({ ended }) => ended !== undefined)

const lastAttempts = (state: State, attempts: Attempt[]): Step[] => {
  const { callers } = state
  if (!isOver(state) || callers.length > attempts.length) return []
  const quiet = { ...state, before: {}, late: [] }
  const add = (attempt: number): State => ({ ...quiet, callers: [...callers, { attempt, results: [] }] })
  return attempts.map((_, attempt) => ({ event: `the request of ${nameAt(attempt)} is repeated`, next: add(attempt) }))
}

/** What can happen without a caller. */
function* stepsOfDatabase(state: State, scenario: Scenario): Generator<Step> {
  const { now, items, before, callers, late } = state
  for (const write of late) {
    const { next } = carryOut(state, write.by, write, scenario)
    if (next !== state) yield { event: `${write.token} takes effect late`, next }
  }
  for (const name of Object.keys(before))
    yield { event: `${name} becomes visible`, next: { ...state, before: without(before, name) } }
  for (const [name, item] of Object.entries(items))
    if ('expiresAt' in item && !isValidAt(now)(item))
      yield { event: `${name} is removed`, next: { ...state, items: without(items, name) } }
  const isOld = (each: object) => 'since' in each && each.since !== undefined && each.since !== now
  if (now < (scenario.clock ?? 0) && !callers.some(isOld))
    yield {
      event: 'eight hours pass',
      next: { ...state, now: now + 1, before: {}, late: late.filter((each) => !isOld(each)) },
    }
}

/** What can happen to the call that a caller waits for. */
const stepsOfCaller = async (state: State, i: number, scenario: Scenario, progressOf: ProgressOf): Promise<Step[]> => {
  const caller = state.callers[i]
  if (!caller || caller.ended !== undefined) return []
  const { call } = await progressOf(i, caller)
  if (!call) throw new Error('A caller that has ended is running.')
  const { now, items, before, late } = state
  const started = { ...caller, since: caller.since ?? now }
  const receive = async (event: string, result: unknown, from: State | string = state): Promise<Step[]> => {
    if (typeof from === 'string') return [{ event, next: from }]
    const next = { ...started, results: [...caller.results, [result, now] as [unknown, number]] }
    const progress = await progressOf(i, next)
    // A caller that repeats its call after a conflict is in the same state as before.
    if (result === 'busy' && JSON.stringify(progress.call) === JSON.stringify(call)) return []
    if (next.results.length > MOST_CALLS) return [{ event, next: 'A request never ends.' }]
    const { response } = progress
    if (!response) return [{ event, next: withCaller(from, i, next) }]
    const wrong = errorOfResponse(from, i, response, scenario.attempts[caller.attempt])
    return [{ event, next: wrong ?? withCaller(from, i, { ended: nameOfResponse(response) }) }]
  }
  const name = nameAt(i)
  const crashes = { event: `${name} crashes`, next: withCaller(state, i, { ended: 'crashed' }) }
  const others = isLast(i, scenario) || caller.since === undefined ? [] : [crashes]
  if (!call.actions) {
    const names = call.keys.map(nameOf)
    const isHidden = names.some((each) => each in before)
    const found = names.map((each) => items[each] ?? null)
    // Reads of several items are busy until a commit is visible.
    if (isHidden && names.length > 1) return others
    const old = isHidden ? await receive(`${name} reads the old ${names}`, [before[`${names}`]]) : []
    return [...others, ...old, ...(await receive(`${name} reads ${names}`, found))]
  }
  const { outcome, next } = carryOut(state, i, call, scenario)
  const got = outcome === 'busy' ? [] : await receive(`${name}: ${call.token} is ${outcome}`, outcome, visible(next))
  const busy = await receive(`${name}: ${call.token} is busy`, 'busy')
  if (isLast(i, scenario) || state.commits[call.token] || late.some(({ token }) => token === call.token))
    return [...others, ...got, ...busy]
  const more = [...late, { ...call, by: i, since: started.since }].sort((a, b) => (a.token < b.token ? -1 : 1))
  const lost = {
    event: `${name}: ${call.token} gets no response`,
    next: { ...withCaller(state, i, started), late: more },
  }
  return [...others, ...got, ...busy, lost]
}

const nameOfResponse = ({ status, value }: Response): string => {
  if (!value) return `${status ?? 204}`
  return value.isReplay === undefined ? '200' : value.isReplay ? 'replay' : '201'
}

/** More than a request needs, whatever the others do. */
const MOST_CALLS = 16

const nameAt = (i: number): string => 'abcdef'[i] ?? ''
const isLast = (i: number, { attempts }: Scenario): boolean => i >= attempts.length
const isValidAt =
  (now: number) =>
  (item: Item): boolean =>
    Number(item.expiresAt) * 1000 > NOW + now * EIGHT_HOURS
const EIGHT_HOURS = 8 * 3_600_000

const withCaller = (state: State, i: number, caller: Caller): State => ({
  ...state,
  callers: state.callers.with(i, caller),
})
const without = <Value>(record: Record<string, Value>, name: string): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).filter(([other]) => other !== name))
/** A commit is visible when its caller gets the response. */
const visible = (state: State | string): State | string =>
  typeof state === 'string' ? state : { ...state, before: {} }

/** Carries out a write as DynamoDB does. The outcome is that of its caller. */
const carryOut = (state: State, by: number, { token, actions }: Write, { holds = hasRevision, attempts }: Scenario) => {
  const { items, before, commits } = state
  if (actions.some(({ key }) => nameOf(key) in before)) return { outcome: 'busy', next: state }
  if (commits[token]) return { outcome: 'written', next: state }
  const pairs = actions.map((action) => [action, items[nameOf(action.key)]] as const)
  if (!pairs.every(([action, item]) => holds(item, action, commits))) return { outcome: 'refused', next: state }
  const wrong = errorOfWrite(state, by, actions, attempts)
  const written = pairs.filter(([{ write }]) => write)
  const left = Object.entries(items).filter(([name]) => !written.some(([{ key }]) => nameOf(key) === name))
  const puts = written.flatMap(([{ key, write }]) => (write?.item ? [[nameOf(key), write.item] as const] : []))
  const old = written.map(([{ key }, item]) => [nameOf(key), item ?? null] as const)
  const next: State = {
    ...state,
    items: sorted([...left, ...puts]),
    before: old.length > 1 ? sorted(old) : {},
    commits: sorted([...Object.entries(commits), [token, { by, actions }]]),
  }
  return { outcome: 'written', next: wrong ?? next }
}

/** The condition of an action, as the service states it. */
export const hasRevision = (item: Item | undefined, { expected }: Action): boolean => item?.revision === expected

/** States that differ only in the order of events are one. */
const sorted = <Value>(entries: (readonly [string, Value])[]): Record<string, Value> =>
  Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))

const isCreate = ({ expected, write }: Action): boolean => write?.item !== undefined && !expected

const errorOfWrite = ({ now, items, commits, callers }: State, by: number, actions: Action[], attempts: Attempt[]) => {
  const { ended } = callers[by] ?? {}
  if (ended && ended !== 'crashed') return 'A request took effect after its response.'
  if (Object.values(commits).some((commit) => commit.by === by)) return 'A request took effect twice.'
  const creates = actions.some((action) => isCreate(action) && action.key.table !== 'idempotencyKeys')
  const reserves = actions.some(({ key }) => key.table === 'idempotencyKeys')
  if (attempts[by]?.intent && creates !== reserves) return 'A resource was created without its reservation.'
  const errors = actions.map(({ key, expected, write }) => {
    const item = items[nameOf(key)]
    if (key.table === 'idempotencyKeys') return item && isValidAt(now)(item) && 'A key created two resources.'
    if (item?.revision === expected) return undefined
    if (!write) return 'A request took effect although what it had read was changed.'
    if (!expected) return 'An id got two resources.'
    return item ? 'A write undid another one.' : 'A deleted resource came back.'
  })
  return errors.find(Boolean) || undefined
}

const errorOfResponse = (
  state: State,
  i: number,
  { status, value }: Response,
  attempt?: Attempt,
): string | undefined => {
  const { now, items, before, commits } = state
  const isOwn = Object.values(commits).some(({ by }) => by === i)
  if (status) {
    if (isOwn) return `A request got a ${status} and took effect.`
    const isWrong = Object.keys(before).length === 0 && attempt?.isWrong(status, items, isValidAt(now))
    return isWrong ? `A request got a ${status} for no reason.` : undefined
  }
  if (!value) return isOwn ? undefined : 'A request got a success without an effect.'
  const { resource, revision, isReplay = false } = value
  const { by, actions = [] } = commits[revision] ?? {}
  const put = actions.find(({ key }) => key.value === resource.id)?.write?.item
  if (!put || Object.entries(resource).some(([name, field]) => put[name] !== field))
    return 'A response is of a resource that never was.'
  return isReplay === (by === i) || isOwn === isReplay ? 'A response is wrong about who made the resource.' : undefined
}

type Value = { resource: Record<string, unknown>; revision: string; isReplay?: boolean }
/** A response; without a value, that of a delete. */
type Response = { status?: number; value?: Value | undefined }
/** How far a caller comes with its results: its next call, or its response. */
type ProgressOf = (i: number, caller: Running) => Promise<{ call?: Call; response?: Response }>

/** Runs the service's code, once for each list of results. */
const memoized = ({ attempts, wrap = (database) => database }: Scenario): ProgressOf => {
  const known = new Map<string, ReturnType<ProgressOf>>()
  return async (i, { attempt, results }) => {
    const name = JSON.stringify([i, attempt, results])
    const progress = known.get(name) ?? progressWith(attempts[attempt] as Attempt, i, results, wrap)
    known.set(name, progress)
    return progress
  }
}

const progressWith = (
  { work, draws = [] }: Attempt,
  i: number,
  results: Running['results'],
  wrap: (database: Database) => Database,
) =>
  new Promise<Awaited<ReturnType<ProgressOf>>>((resolve, reject) => {
    const left = [...results]
    let runs = 0
    // Each time that the code runs, it draws other ids.
    const ids = new Map<string, number>()
    const named = (value: object) =>
      JSON.parse(JSON.stringify(value).replace(/\d{14,}/g, (id) => `${ids.get(id) ?? id}`))
    // biome-ignore lint/suspicious/noExplicitAny: a result has the type of its call.
    const send = (call: Call): Promise<any> => {
      const [result] = left
      left.shift()
      for (const { key } of call.actions?.filter(isCreate) ?? [])
        if (typeof key.value === 'number') ids.set(`${key.value}`, draws[runs - 1] ?? 100 * (i + 1) + runs)
      if (!result) {
        resolve({ call: named(call) })
        return new Promise(() => {})
      }
      at(result[1] * EIGHT_HOURS)
      return Promise.resolve(result[0])
    }
    const database: Database = {
      read: async (keys) => (await send({ keys })).map((item: Item | null) => item ?? undefined),
      write: (token, actions) => send({ token, actions }),
      pause: async () => {},
    }
    at((results[0]?.[1] ?? 0) * EIGHT_HOURS)
    runOn(wrap(database), work, () => `${nameAt(i)}${++runs}`).then(
      (value) => resolve({ response: named({ value }) }),
      (error) => (error instanceof ApiError ? resolve({ response: { status: error.status } }) : reject(error)),
    )
  })

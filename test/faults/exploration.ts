import { hash } from 'node:crypto'
import { vi } from 'vitest'
import type { Database, Item, Key } from '../../shared/data/database.ts'
import { runOn } from '../../shared/data/transaction.ts'
import { ApiError } from '../../shared/model/api-error.ts'
import type { Attempt, Caller, Scenario, State, Step } from './model.ts'
import * as model from './model.ts'

/**
 * Explores every order of events between the model of a database and concurrent requests, which run
 * the service's own code and may crash. Returns how the requests end if none crashes, or the first
 * error with the events before it.
 */
export const explore = (scenario: Scenario) => {
  vi.useFakeTimers({ toFake: ['Date'], now: model.START })
  return search(scenario).finally(() => vi.useRealTimers())
}

const search = async (
  scenario: Scenario,
): Promise<{ ends: string } | { wrong: string; events: string[] }> => {
  const open: { state: State; events: string[] }[] = [
    { state: model.initialState(scenario), events: [] },
  ]
  const seen = new Set<string>()
  const ends = new Set<string>()
  const progressOf = remembered(scenario)
  for (const { state, events } of open) {
    const steps = [...model.stepsOfDatabase(state, scenario)]
    for (const i of state.callers.keys())
      steps.push(...(await stepsOfCaller(state, i, scenario, progressOf)))
    if (state.callers.every(({ ended }) => ended))
      ends.add(state.callers.map(({ ended }) => ended).join(' '))
    else if (steps.length === 0) steps.push({ event: 'nothing', next: 'A request waits for ever.' })
    for (const { event, next } of steps) {
      if (typeof next === 'string') return { wrong: next, events: [...events, event] }
      const digest = hash('sha1', JSON.stringify(next))
      if (!seen.has(digest)) open.push({ state: next, events: [...events, event] })
      seen.add(digest)
    }
  }
  const complete = [...ends].filter((end) => !end.includes('crashed'))
  return { ends: complete.sort().join(' | ') }
}

/** What can happen to the call that a caller waits for. */
const stepsOfCaller = async (
  state: State,
  i: number,
  scenario: Scenario,
  progressOf: ProgressOf,
): Promise<Step[]> => {
  const { now, items, before, late } = state
  const { results, since, ended } = state.callers[i] as Caller
  if (ended) return []
  const { call } = await progressOf(i, results)
  if (!call) throw new Error('A caller that has ended is running.')
  const become = (from: State, caller: Caller): State => ({
    ...from,
    callers: from.callers.with(i, caller),
  })
  const receive = async (
    event: string,
    result: unknown,
    from: State | string = state,
  ): Promise<Step[]> => {
    if (typeof from === 'string') return [{ event, next: from }]
    const more: Caller['results'] = [...results, [result, now]]
    const { response } = await progressOf(i, more)
    // Whatever the others do, a request needs fewer calls.
    if (more.length > 16) return [{ event, next: 'A request never ends.' }]
    if (!response) return [{ event, next: become(from, { results: more, since: since ?? now }) }]
    const wrong = errorOfResponse(from, i, response, scenario)
    return [
      { event, next: wrong ?? become(from, { results: [], ended: nameOfResponse(response) }) },
    ]
  }
  const name = 'abcdef'[i]
  const crashed = {
    event: `${name} crashes`,
    next: become(state, { results: [], ended: 'crashed' }),
  }
  const steps: Step[] = since === undefined ? [] : [crashed]
  if (!call.actions) {
    const names = call.keys.map(model.nameOf)
    const isHidden = names.some((each) => each in before)
    // Reads of several items are busy until a commit is visible.
    if (isHidden && names.length > 1) return steps
    if (isHidden)
      steps.push(...(await receive(`${name} reads the old ${names}`, [before[`${names}`]])))
    const found = names.map((each) => items[each] ?? null)
    return [...steps, ...(await receive(`${name} reads ${names}`, found))]
  }
  const { token } = call
  const { outcome, next } = model.carryOut(state, i, call, scenario)
  // A commit is visible when its caller gets the response.
  const visible = typeof next === 'string' ? next : { ...next, before: {} }
  // Without an outcome, another transaction holds an item, and the same request is sent again.
  if (outcome)
    steps.push(...(await receive(`${name}: ${token} is ${outcome.kind}`, outcome, visible)))
  if (state.commits[token] || late.some((other) => other.token === token)) return steps
  const sent = [...late, { ...call, by: i, since: since ?? now }].sort((a, b) =>
    a.token < b.token ? -1 : 1,
  )
  const lost = { ...become(state, { results, since: since ?? now }), late: sent }
  return [...steps, { event: `${name}: ${token} gets no response`, next: lost }]
}

const nameOfResponse = ({ status, value }: Response): string => {
  if (!value) return `${status ?? 204}`
  return value.isReplay ? 'replay' : `${value.status ?? 200}`
}

const errorOfResponse = (
  state: State,
  i: number,
  { status, value }: Response,
  { attempts }: Scenario,
) => {
  const { now, items, before, commits } = state
  const isOwn = Object.values(commits).some(({ by }) => by === i)
  if (status) {
    if (isOwn) return `A request got a ${status} and took effect.`
    const valid = Object.entries(items).filter(([, item]) => item && !model.isExpired(item, now))
    const isWrong =
      Object.keys(before).length === 0 && attempts[i]?.isWrong(status, Object.fromEntries(valid))
    return isWrong ? `A request got a ${status} for no reason.` : undefined
  }
  if (!value) return isOwn ? undefined : 'A request got a success without an effect.'
  const { resource, revision, isReplay = false } = value
  const put = commits[revision]?.actions.find(({ key }) => key.value === resource.id)
  const item: object = put?.kind === 'put' ? put.item : {}
  const differs = ([name, field]: [string, unknown]) =>
    new Map(Object.entries(item)).get(name) !== field
  if (Object.entries(resource).some(differs)) return 'A response is of a resource that never was.'
  return isOwn === isReplay
    ? 'A response is wrong about whether its request took effect.'
    : undefined
}

type Call = { keys: Key[]; actions?: never } | model.Write
type Value = {
  status?: number
  resource: Record<string, unknown>
  revision: string
  isReplay?: boolean
}
/** A response; without a value, that of a delete. */
type Response = { status?: number; value?: Value | undefined }
/** How far a caller comes with its results: its next call, or its response. */
type Progress = { call?: Call; response?: Response }

type ProgressOf = (i: number, results: Caller['results']) => Promise<Progress>

/** Runs a caller once for the same results, because most states differ in what others have done. */
const remembered = (scenario: Scenario): ProgressOf => {
  const known = new Map<string, Promise<Progress>>()
  return (i, results) => {
    const name = JSON.stringify([i, results])
    const progress = known.get(name) ?? replay(scenario, i, results)
    known.set(name, progress)
    return progress
  }
}

/** Runs the service's code with the results of its calls. */
const replay = ({ attempts }: Scenario, i: number, results: Caller['results']) =>
  new Promise<Progress>((resolve, reject) => {
    const { work, draws = [] } = attempts[i] as Attempt
    const left = [...results]
    let runs = 0
    // Each time that the code runs, it draws other ids.
    const ids = new Map<string, number>()
    const named = (value: object) =>
      JSON.parse(JSON.stringify(value).replace(/\d{14,}/g, (id) => `${ids.get(id) ?? id}`))
    // biome-ignore lint/suspicious/noExplicitAny: a result has the type of its call.
    const send = async (call: Call): Promise<any> => {
      const created = call.actions?.filter(model.isCreate).map(({ key }) => key.value) ?? []
      for (const [n, id] of created.filter((value) => typeof value === 'number').entries())
        ids.set(`${id}`, 1000 * n + (draws[runs - 1] ?? 100 * (i + 1) + runs))
      const [result, time] = left.shift() ?? []
      if (time === undefined) {
        resolve({ call: named(call) })
        return new Promise(() => {})
      }
      vi.setSystemTime(model.START + time * model.EIGHT_HOURS)
      return result
    }
    const database: Database = {
      read: async (keys) => (await send({ keys })).map((item: Item | null) => item ?? undefined),
      list: async () => ({ items: [], next: undefined }), // No condition depends on a list.
      write: (token, actions) => send({ token, actions }),
      pause: async () => {},
    }
    vi.setSystemTime(model.START + (left[0]?.[1] ?? 0) * model.EIGHT_HOURS)
    runOn(database, work, () => `${'abcdef'[i]}${++runs}`).then(
      (value) => resolve({ response: named({ value }) }),
      (error) =>
        error instanceof ApiError ? resolve({ response: { status: error.status } }) : reject(error),
    )
  })

import { hash } from 'node:crypto'
import { vi } from 'vitest'
import type { Database, Item, Key } from '../../shared/data/database.ts'
import { runOn } from '../../shared/data/transaction.ts'
import { ApiError } from '../../shared/model/api-error.ts'
import { refusalOf } from '../../shared/pipeline/responses.ts'
import type { Attempt, Caller, Items, Response, Scenario, State, Step } from './model.ts'
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
  const runs = { progress: remembered(replay, scenario), alone: remembered(runAlone, scenario) }
  for (const { state, events } of open) {
    const steps = [...model.stepsOfDatabase(state, scenario)]
    for (const i of state.callers.keys())
      steps.push(...(await stepsOfCaller(state, i, scenario, runs)))
    if (state.callers.every(({ ended }) => ended))
      ends.add(state.callers.map(({ ended }) => ended).join(' '))
    else if (steps.length === 0) steps.push({ event: 'nothing', next: 'A request waits for ever.' })
    for (const { event, next } of steps) {
      if (typeof next === 'string') return { wrong: next, events: [...events, event] }
      const witnessed = await witness(next, runs)
      const digest = hash('sha1', JSON.stringify(witnessed))
      if (!seen.has(digest)) open.push({ state: witnessed, events: [...events, event] })
      seen.add(digest)
    }
  }
  const complete = [...ends].filter((end) => !end.includes('crashed'))
  return { ends: complete.sort().join(' | ') }
}

/** Adds to each running caller the responses that are right in this state. */
const witness = async (state: State, runs: Runs): Promise<State> => {
  const callers = state.callers.map(async (caller, i) => {
    if (caller.since === undefined || caller.ended) return caller
    return { ...caller, right: await rightResponses(state, i, runs) }
  })
  return { ...state, callers: await Promise.all(callers) }
}

/** The responses without an effect that are right, or were while a caller ran. */
const rightResponses = async (
  { now, items, hidden, before, callers }: State,
  i: number,
  { alone }: Runs,
): Promise<string[]> => {
  // While a commit is not visible everywhere, its moment may not have come.
  const moments = hidden.length > 0 ? [items, before] : [items]
  const responses = new Set(callers[i]?.right)
  for (const moment of moments) {
    const response = await alone(i, [moment, now])
    if (response) responses.add(textOf(response))
  }
  return [...responses].sort()
}

const textOf = ({ status, body, etag }: Response): string => `${status} ${body} ${etag ?? ''}`

/** What can happen to the call that a caller waits for. */
const stepsOfCaller = async (
  state: State,
  i: number,
  scenario: Scenario,
  runs: Runs,
): Promise<Step[]> => {
  const { now, items, hidden, before, late } = state
  const { results, right, since, ended } = state.callers[i] as Caller
  if (ended) return []
  const { call } = await runs.progress(i, results)
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
    const { response } = await runs.progress(i, more)
    // Whatever the others do, a request needs fewer calls.
    if (more.length > 16) return [{ event, next: 'A request never ends.' }]
    const running = { results: more, right, since: since ?? now }
    if (!response) return [{ event, next: become(from, running) }]
    const wrong = await errorOfResponse(from, i, response, scenario, runs)
    const end = { results: [], right: [], ended: nameOfResponse(response) }
    return [{ event, next: wrong ?? become(from, end) }]
  }
  const name = 'abcdef'[i]
  const crashed = {
    event: `${name} crashes`,
    next: become(state, { results: [], right: [], ended: 'crashed' }),
  }
  const steps: Step[] = since === undefined ? [] : [crashed]
  if (!call.actions) {
    const names = call.keys.map(model.nameOf)
    const isHidden = names.some((each) => hidden.includes(each))
    // Reads of several items are busy until a commit is visible.
    if (isHidden && names.length > 1) return steps
    const found = (from: Items) => names.map((each) => from[each] ?? null)
    if (isHidden) steps.push(...(await receive(`${name} reads the old ${names}`, found(before))))
    return [...steps, ...(await receive(`${name} reads ${names}`, found(items)))]
  }
  const { token, actions } = call
  const { outcome, next } = model.carryOut(state, i, call, scenario)
  // A commit is visible when its caller gets the response.
  const own = actions.map(({ key }) => model.nameOf(key))
  const visible = typeof next === 'string' ? next : model.showing(next, own)
  // Without an outcome, another transaction holds an item, and the same request is sent again.
  if (outcome)
    steps.push(...(await receive(`${name}: ${token} is ${outcome.kind}`, outcome, visible)))
  if (state.commits[token] || late.some((other) => other.token === token)) return steps
  const sent = [...late, { ...call, by: i, since: since ?? now }].sort((a, b) =>
    a.token < b.token ? -1 : 1,
  )
  const lost = { ...become(state, { results, right, since: since ?? now }), late: sent }
  return [...steps, { event: `${name}: ${token} gets no response`, next: lost }]
}

const nameOfResponse = ({ status, isReplay }: Response): string =>
  isReplay ? 'replay' : `${status}`

const errorOfResponse = async (
  state: State,
  i: number,
  response: Response,
  { attempts }: Scenario,
  runs: Runs,
): Promise<string | undefined> => {
  const { status, etag, isReplay } = response
  const { intent } = attempts[i] as Attempt
  const own = Object.values(state.commits).filter(({ by }) => by === i)
  const tookEffect = own.some(({ actions }) => model.changesItems(actions))
  if (intent && status !== 422) {
    const stored = state.items[model.reservationName(intent)] as (Item & Response) | undefined
    if (!stored || textOf(stored) !== textOf(response))
      return `A request got a ${status}, and the key has another response.`
    if (isReplay === own.length > 0)
      return 'A response is wrong about whether its request took effect.'
  }
  if (etag !== undefined && !isOfCommit(state, response))
    return 'A response is of a resource that never was.'
  if (isReplay) return undefined
  if (status >= 400 && tookEffect) return `A request got a ${status} and took effect.`
  const right = await rightResponses(state, i, runs)
  if (tookEffect || right.includes(textOf(response))) return undefined
  return `A request got a ${status} for no reason.`
}

/** Whether a response has a resource as the commit of its ETag put it. */
const isOfCommit = ({ commits }: State, { body, etag = '' }: Response): boolean => {
  const resource: Record<string, unknown> = JSON.parse(body)
  const put = commits[etag]?.actions.find(({ key }) => key.value === resource.id)
  if (put?.kind !== 'put') return false
  const item: Record<string, unknown> = put.item
  return Object.entries(resource).every(([name, value]) => item[name] === value)
}

type Call = { keys: Key[]; actions?: never } | model.Write
/** How far a caller comes with its results: its next call, or its response. */
type Progress = { call?: Call; response?: Response }

/** What the service's code does for a caller: with these results; alone, with these items. */
type Runs = {
  progress: (i: number, results: Caller['results']) => Promise<Progress>
  alone: (i: number, moment: Moment) => Promise<Response | undefined>
}
type Moment = [items: Items, now: number]

/** Runs a caller once for the same input, because most states differ in what others have done. */
const remembered = <Input, Result>(
  run: (scenario: Scenario, i: number, input: Input) => Promise<Result>,
  scenario: Scenario,
) => {
  const known = new Map<string, Promise<Result>>()
  return (i: number, input: Input): Promise<Result> => {
    const name = JSON.stringify([i, input])
    const result = known.get(name) ?? run(scenario, i, input)
    known.set(name, result)
    return result
  }
}

/** Runs the service's code with the results of its calls. */
const replay = (scenario: Scenario, i: number, results: Caller['results']) =>
  new Promise<Progress>((resolve, reject) => {
    const { draws = [] } = scenario.attempts[i] as Attempt
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
      setTime(time)
      return result
    }
    const database: Database = {
      read: async (keys) => (await send({ keys })).map((item: Item | null) => item ?? undefined),
      list: async () => ({ items: [], next: undefined }), // No condition depends on a list.
      write: (token, actions) => send({ token, actions }),
      pause: async () => {},
    }
    setTime(left[0]?.[1] ?? 0)
    responseOf(database, scenario, i, () => `${'abcdef'[i]}${++runs}`).then(
      (response) => resolve({ response: named(response) }),
      reject,
    )
  })

/** The response that a caller gets alone, unless it changes items or was stored before. */
const runAlone = async (
  scenario: Scenario,
  i: number,
  [items, now]: Moment,
): Promise<Response | undefined> => {
  let hasEffect = false
  const database: Database = {
    read: async (keys) => keys.map((key) => items[model.nameOf(key)]),
    list: async () => ({ items: [], next: undefined }),
    write: async (_, actions) => {
      hasEffect = model.changesItems(actions)
      return { kind: 'written' }
    },
    pause: async () => {},
  }
  setTime(now)
  const response = await responseOf(database, scenario, i, () => 'alone')
  return hasEffect || response.isReplay ? undefined : response
}

const responseOf = async (
  database: Database,
  { attempts, pipeline = model.respond }: Scenario,
  i: number,
  newRevision: () => string,
): Promise<Response> => {
  try {
    return await runOn(database, (tx) => pipeline(tx, attempts[i] as Attempt), newRevision)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { ...refusalOf(error), isReplay: false }
  }
}

const setTime = (time: number): void =>
  void vi.setSystemTime(model.START + time * model.EIGHT_HOURS)

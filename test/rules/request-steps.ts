import type { RequestState, SentWrite, State, Step } from './database-model.ts'
import * as model from './database-model.ts'
import { endOf } from './pipeline-model.ts'
import type { Progress, RequestCode } from './request-code.ts'
import type { OpenCall } from './request-run.ts'
import type { Event } from './story.ts'

/** What can happen to a request, and to the calls that it waits for. */
export const requestSteps = async (state: State, code: RequestCode): Promise<Step[]> => {
  const { name } = code.clientRequest
  const request = state.requests[name]
  if (request?.kind !== 'running') return []
  const { progress, since } = request
  if (progress.outcome.kind !== 'waits')
    return [advanced(state, code, () => `${name} starts`, progress)]
  const steps = since === undefined ? [] : [crash(state, name)]
  // One after the other, because the clock is global.
  for (const call of progress.outcome.calls) steps.push(...(await callSteps(state, code, call)))
  return steps
}

const callSteps = (state: State, code: RequestCode, call: OpenCall): Promise<Step[]> => {
  switch (call.kind) {
    case 'read':
      return readSteps(state, code, call)
    case 'list':
      return listSteps(state, code, call)
    case 'write':
      return writeSteps(state, code, call)
  }
}

const crash = (state: State, by: string): Step => ({
  event: () => `${by} crashes`,
  next: withRequest(state, by, { kind: 'ended', as: 'crashed' }),
})

type CallOf<Kind> = OpenCall & { kind: Kind }

const readSteps = async (
  state: State,
  code: RequestCode,
  { keys, number }: CallOf<'read'>,
): Promise<Step[]> => {
  const { items, hidden, before } = state
  const names = keys.map(model.nameOf)
  const isHidden = names.some((name) => hidden.includes(name))
  // Reads of several items are busy until a commit is visible.
  if (isHidden && names.length > 1) return []
  const steps: Step[] = []
  for (const from of isHidden ? [before, items] : [items]) {
    const found = names.map((name) => from[name] ?? null)
    const event: Event = (say) => {
      const texts = names.map((name) => say.item(name, from[name]))
      return `${code.clientRequest.name} reads ${texts.join('; ')}${from === items ? '' : OLD}`
    }
    steps.push(await received(state, code, event, { call: number, value: found }))
  }
  return steps
}

const OLD = ' (not up to date)'

/** A list is eventually consistent: it may be as it was at first. */
const listSteps = async (
  state: State,
  code: RequestCode,
  { query, number }: CallOf<'list'>,
): Promise<Step[]> => {
  const steps: Step[] = []
  for (const from of new Set([state.items, state.first])) {
    const page = model.pageOf(from, query)
    const event: Event = (say) => {
      const names = page.items.map(({ id }) => say.name(`${query.table} ${id}`))
      const old = from === state.items ? '' : OLD
      return `${code.clientRequest.name} lists ${query.table}: ${names.join(', ') || 'none'}${old}`
    }
    steps.push(await received(state, code, event, { call: number, value: page }))
  }
  return steps
}

const writeSteps = async (
  state: State,
  code: RequestCode,
  { revision, actions, number }: CallOf<'write'>,
): Promise<Step[]> => {
  const write = { revision, actions, by: code.clientRequest.name }
  const { outcome, next } = model.carryOut(state, write)
  const steps: Step[] = []
  // Without an outcome, another transaction holds an item, and the same request is resent.
  if (outcome) {
    const own = actions.map(({ key }) => model.nameOf(key))
    // A commit is visible when its request gets the response.
    const visible = model.showing(next, own)
    const event = writeEvent(write, outcome)
    steps.push({
      ...(await received(visible, code, event, { call: number, value: outcome.isWritten })),
      write,
    })
  }
  const isLate = state.late.some((each) => each.revision === revision)
  if (state.commits[revision] || isLate) return steps
  if (!state.hasConflicted) {
    const event: Event = () => `${write.by}'s write is canceled, because of a conflict`
    const conflicted = { ...state, hasConflicted: true }
    steps.push(await received(conflicted, code, event, { call: number, value: false }))
  }
  return [...steps, lose(state, write)]
}

const writeEvent =
  (write: SentWrite, { isWritten, changed }: model.WriteOutcome): Event =>
  (say) => {
    if (isWritten) return `${write.by}'s write ${say.write(write)}`
    const names = changed.map((name) => say.name(name)).join(' and ')
    return `${write.by}'s write is refused, because of a change: ${names}`
  }

/** A write gets no response, and may take effect later. */
const lose = (state: State, write: SentWrite): Step => {
  const request = state.requests[write.by] as Running
  const since = request.since ?? state.now
  const late = [...state.late, { ...write, since }].sort((a, b) =>
    a.revision < b.revision ? -1 : 1,
  )
  return {
    event: (say) => `${write.by}'s write gets no response (it ${say.write(write)}, or not)`,
    next: { ...withRequest(state, write.by, { ...request, since }), late },
  }
}

/** The step in which a request gets the result of a call. */
const received = async (
  state: State,
  code: RequestCode,
  event: Event,
  { call, value }: { call: number; value: unknown },
): Promise<Step> => {
  const { progress } = state.requests[code.clientRequest.name] as Running
  const next = await code.next(progress, { call, value, time: state.now })
  return advanced(state, code, event, next)
}

/** The step in which a request gets so far. */
const advanced = (state: State, code: RequestCode, event: Event, progress: Progress): Step => {
  const by = code.clientRequest.name
  const request = state.requests[by] as Running
  const { outcome } = progress
  const since = request.since ?? state.now
  const ended = (as: string) => withRequest(state, by, { kind: 'ended', as })
  switch (outcome.kind) {
    case 'waits':
      return { event, next: withRequest(state, by, { ...request, progress, since }) }
    case 'fails':
      return { event, next: ended('failed'), failure: { by, error: outcome.error } }
    case 'responds': {
      const response = { ...outcome, by, since, right: request.right }
      return { event, next: ended(endOf(outcome.response)), response }
    }
  }
}

type Running = RequestState & { kind: 'running' }

const withRequest = (state: State, name: string, request: RequestState): State => ({
  ...state,
  requests: { ...state.requests, [name]: request },
})

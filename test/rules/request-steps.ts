import type { Key, Written } from '../../shared/data/items.ts'
import type { PageQuery } from '../../shared/data/list.ts'
import type { Items, RequestState, SentWrite, State, Step, Write } from './database-model.ts'
import * as model from './database-model.ts'
import { endOf } from './pipeline-model.ts'
import type { RequestCode } from './request-code.ts'
import type { Event } from './story.ts'

/** What can happen to a request and the call that it waits for. */
export const requestSteps = async (state: State, code: RequestCode): Promise<Step[]> => {
  const { name } = code.clientRequest
  const request = state.requests[name]
  if (request?.kind !== 'running') return []
  const call = request.progress.outcome
  const steps = request.since === undefined ? [] : [crash(state, name)]
  switch (call.kind) {
    case 'read':
      return [...steps, ...(await readSteps(state, code, call.keys))]
    case 'list':
      return [...steps, ...(await listSteps(state, code, call.query))]
    case 'write':
      return [...steps, ...(await writeSteps(state, code, call))]
    case 'response':
      throw new Error('A request that got its response is running.')
  }
}

const crash = (state: State, by: string): Step => ({
  event: () => `${by} crashes`,
  next: withRequest(state, by, { kind: 'ended', as: 'crashed' }),
})

const readSteps = async (state: State, code: RequestCode, keys: Key[]): Promise<Step[]> => {
  const { items, hidden, before } = state
  const names = keys.map(model.nameOf)
  const isHidden = names.some((name) => hidden.includes(name))
  // Reads of several items are busy until a commit is visible.
  if (isHidden && names.length > 1) return []
  const read = (from: Items) => {
    const found = names.map((name) => from[name] ?? null)
    const event: Event = (say) => {
      const texts = names.map((name) => say.item(name, from[name]))
      return `${code.clientRequest.name} reads ${texts.join('; ')}${from === items ? '' : OLD}`
    }
    return received(state, code, event, found)
  }
  return Promise.all((isHidden ? [before, items] : [items]).map(read))
}

const OLD = ' (not up to date)'

/** A list is eventually consistent: it may be as it was at first. */
const listSteps = async (state: State, code: RequestCode, query: PageQuery): Promise<Step[]> => {
  const list = (from: Items) => {
    const page = model.pageOf(from, query)
    const event: Event = (say) => {
      const names = page.items.map(({ id }) => say.name(`${query.table} ${id}`))
      const old = from === state.items ? '' : OLD
      return `${code.clientRequest.name} lists ${query.table}: ${names.join(', ') || 'none'}${old}`
    }
    return received(state, code, event, page)
  }
  return Promise.all([...new Set([state.items, state.first])].map(list))
}

const writeSteps = async (state: State, code: RequestCode, call: Write): Promise<Step[]> => {
  const write = { revision: call.revision, actions: call.actions, by: code.clientRequest.name }
  const { outcome, next } = model.carryOut(state, write)
  const steps: Step[] = []
  // Without an outcome, another transaction holds an item, and the same request is resent.
  if (outcome) {
    const own = call.actions.map(({ key }) => model.nameOf(key))
    // A commit is visible when its request gets the response.
    const visible = model.showing(next, own)
    const event = writeEvent(write, outcome)
    steps.push({ ...(await received(visible, code, event, outcome)), write })
  }
  const isLate = state.late.some(({ revision }) => revision === write.revision)
  if (!state.commits[write.revision] && !isLate) steps.push(lose(state, write))
  return steps
}

const writeEvent =
  (write: SentWrite, outcome: Written): Event =>
  (say) => {
    if (outcome.kind === 'written') return `${write.by}'s write ${say.write(write)}`
    const changed = outcome.keys.map((key) => say.name(model.nameOf(key)))
    return `${write.by}'s write is refused, because of a change: ${changed.join(' and ')}`
  }

/** A write gets no response, and may take effect later. */
const lose = (state: State, write: SentWrite): Step => {
  const request = state.requests[write.by] as RequestState & { kind: 'running' }
  const since = request.since ?? state.now
  const late = [...state.late, { ...write, since }].sort((a, b) =>
    a.revision < b.revision ? -1 : 1,
  )
  return {
    event: (say) => `${write.by}'s write gets no response (it ${say.write(write)}, or not)`,
    next: { ...withRequest(state, write.by, { ...request, since }), late },
  }
}

/** The step in which a request gets the result of its call. */
const received = async (
  state: State,
  code: RequestCode,
  event: Event,
  value: unknown,
): Promise<Step> => {
  const by = code.clientRequest.name
  const request = state.requests[by] as RequestState & { kind: 'running' }
  const progress = await code.next(request.progress, value, state.now)
  const { outcome } = progress
  const since = request.since ?? state.now
  if (outcome.kind !== 'response')
    return { event, next: withRequest(state, by, { ...request, progress, since }) }
  const next = withRequest(state, by, { kind: 'ended', as: endOf(outcome.response) })
  return { event, next, response: { ...outcome, by, since, right: request.right } }
}

const withRequest = (state: State, name: string, request: RequestState): State => ({
  ...state,
  requests: { ...state.requests, [name]: request },
})

import { expect, vi } from 'vitest'
import type { Scenario } from './all-orders.ts'
import type { State, Step } from './database-model.ts'
import * as model from './database-model.ts'
import { ruleBrokenByItems, ruleBrokenByResponse, ruleBrokenByWrite } from './invariants.ts'
import { clientRequests, responseText, type Service } from './pipeline-model.ts'
import { isEndless, RequestCode } from './request-code.ts'
import { requestSteps } from './request-steps.ts'
import type { Broken, Story } from './story.ts'

// An exploration may take seconds, and on a busy machine minutes.
vi.setConfig({ testTimeout: 300_000 })
vi.stubEnv('READ_SHARDS', '1')
vi.stubEnv('WRITE_SHARDS', '1')

/** A state, and the step that led to it. */
type Reached = { state: State; step?: Step; before?: Reached }

/** How all requests end, by the shortest way. */
type End = { end: string; story: Story }

/**
 * Explores every order of events between the model of a database and concurrent requests, which a
 * service runs. Returns all ways in which the requests end, or the rule that is broken first; each
 * after as few events as possible.
 */
export const explore = (scenario: Scenario, service: Service) => {
  vi.useFakeTimers({ toFake: ['Date'], now: model.START })
  return new Search(scenario, service).run().finally(() => vi.useRealTimers())
}

class Search {
  readonly #scenario: Scenario
  readonly #codes: Record<string, RequestCode> = {}
  readonly #numberOf = numbering()

  constructor(scenario: Scenario, service: Service) {
    this.#scenario = scenario
    for (const [i, request] of clientRequests(scenario.requests).entries())
      this.#codes[request.name] = new RequestCode(request, i, service)
  }

  async run(): Promise<{ ends: End[]; broken?: Broken }> {
    const first: Reached = { state: await this.#initialState() }
    const open = [first]
    const seen = new Set<string>()
    const ends = new Map<string, Reached>()
    for (const before of open) {
      const steps = await this.#steps(before.state)
      const end = endOfAll(before.state)
      if (end !== undefined && !ends.has(end)) ends.set(end, before)
      for (const step of steps) {
        const reached = { state: await this.#witnessed(step.next), step, before }
        const rule = await this.#ruleBrokenBy(step, before.state)
        if (rule) return this.#broken(rule, reached)
        const name = this.#nameOf(reached.state)
        if (!seen.has(name)) open.push(reached)
        seen.add(name)
      }
    }
    const stories = Array.from(ends, ([end, reached]) => ({ end, story: this.#story(reached) }))
    return { ends: stories }
  }

  async #initialState(): Promise<State> {
    const requests: State['requests'] = {}
    for (const [name, code] of Object.entries(this.#codes))
      requests[name] = {
        kind: 'running',
        since: undefined,
        progress: await code.start(),
        right: [],
      }
    return model.initialState(this.#scenario.stored ?? {}, requests)
  }

  async #steps(state: State): Promise<Step[]> {
    const { pauses = 0 } = this.#scenario
    const steps = [...model.databaseSteps(state, pauses)]
    for (const code of Object.values(this.#codes)) steps.push(...(await requestSteps(state, code)))
    return steps
  }

  async #ruleBrokenBy(step: Step, state: State): Promise<string | undefined> {
    const { next, write, response, failure } = step
    if (write && next.commits !== state.commits) {
      const rule = ruleBrokenByWrite(state, write, this.#codeOf(write.by).clientRequest)
      if (rule) return rule
    }
    if (next.items !== state.items) {
      const rule = ruleBrokenByItems(next.items, this.#scenario)
      if (rule) return rule
    }
    if (failure) return NO_BUG
    if (!response) return hasEndless(next) ? ENDS : undefined
    // A list is not up to date, so what rests on it need not be right.
    const right = response.hasListed
      ? [responseText(response.response)]
      : await this.#rightResponses(next, response.by, response.right)
    return ruleBrokenByResponse(next, response, right, this.#codeOf(response.by).clientRequest)
  }

  #codeOf(name: string): RequestCode {
    return this.#codes[name] ?? expect.fail(`There is no request ${name}.`)
  }

  /** Adds to each request that runs the responses that are right in this state. */
  async #witnessed(state: State): Promise<State> {
    const requests = { ...state.requests }
    for (const [name, request] of Object.entries(requests)) {
      if (request.kind !== 'running' || request.since === undefined) continue
      const right = await this.#rightResponses(state, name, request.right)
      requests[name] = { ...request, right }
    }
    return { ...state, requests }
  }

  /** The responses without an effect that are right, or were while a request ran. */
  async #rightResponses(
    { now, items, hidden, before }: State,
    by: string,
    earlier: string[],
  ): Promise<string[]> {
    // While a commit is not visible everywhere, its moment may not have come.
    const moments = hidden.length > 0 ? [items, before] : [items]
    const right = new Set(earlier)
    for (const moment of moments) {
      const name = `${this.#numberOf(moment)} ${now}`
      for (const response of await this.#codeOf(by).alone(name, moment, now))
        right.add(responseText(response))
    }
    return right.size === earlier.length ? earlier : [...right].sort()
  }

  /** States with the same name are the same. */
  #nameOf({ now, items, hidden, before, commits, late, hasConflicted, requests }: State): string {
    const parts = Object.values(requests).map((request) =>
      request.kind === 'ended'
        ? request.as
        : [request.since, request.progress.number, this.#numberOf(request.right)],
    )
    const numbers = [items, before, commits, late].map(this.#numberOf)
    return [now, hidden, hasConflicted, ...numbers, ...parts].join(' ')
  }

  #broken(rule: string, reached: Reached) {
    const error = reached.step?.failure?.error
    return { ends: [], broken: { rule, error, story: this.#story(reached) } }
  }

  #story(reached: Reached): Story {
    const steps: Step[] = []
    for (let each: Reached | undefined = reached; each; each = each.before)
      if (each.step) steps.unshift(each.step)
    const clientRequests = Object.values(this.#codes).map(({ clientRequest }) => clientRequest)
    return { steps, items: reached.state.items, clientRequests }
  }
}

const ENDS = 'each request ends'
const NO_BUG = 'each request ends with a response or an ApiError'

const hasEndless = ({ requests }: State): boolean =>
  Object.values(requests).some((each) => each.kind === 'running' && isEndless(each.progress))

/** How all requests ended; `undefined` while one is running. */
const endOfAll = ({ requests }: State): string | undefined => {
  const ends = Object.entries(requests).map(([name, request]) =>
    request.kind === 'ended' ? `${name} ${request.as}` : undefined,
  )
  return ends.includes(undefined) ? undefined : ends.join(', ')
}

/** Numbers for values: the same for values with the same parts. */
const numbering = () => {
  const byText = new Map<string, number>()
  const byValue = new WeakMap<object, number>()
  const textOf = (value: unknown): string => {
    if (typeof value === 'object' && value !== null) return `#${numberOf(value)}`
    return typeof value === 'string' ? JSON.stringify(value) : `${value}`
  }
  const numberOf = (value: object): number => {
    const known = byValue.get(value)
    if (known !== undefined) return known
    let text = Array.isArray(value) ? '[' : '{'
    for (const [name, part] of Object.entries(value)) text += `${name}:${textOf(part)},`
    const number = byText.get(text) ?? byText.size
    byText.set(text, number)
    byValue.set(value, number)
    return number
  }
  return numberOf
}

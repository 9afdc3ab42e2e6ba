import { expect, vi } from 'vitest'
import type { Scenario } from './all-orders.ts'
import type { State, Step } from './database-model.ts'
import * as model from './database-model.ts'
import { ruleBrokenByItems, ruleBrokenByResponse, ruleBrokenByWrite } from './invariants.ts'
import { clientRequests, responseText } from './pipeline-model.ts'
import { RequestCode } from './request-code.ts'
import { requestSteps } from './request-steps.ts'
import type { Broken } from './story.ts'

vi.stubEnv('READ_SHARDS', '1')
vi.stubEnv('WRITE_SHARDS', '1')

/** A state, and the step that led to it. */
type Reached = { state: State; step?: Step; before?: Reached }

/**
 * Explores every order of events between the model of a database and concurrent requests, which run
 * the service's own code. Returns all ways in which the requests end if none crashes, or the rule
 * that is broken first, after as few events as possible.
 */
export const explore = (scenario: Scenario) => {
  vi.useFakeTimers({ toFake: ['Date'], now: model.START })
  return new Search(scenario).run().finally(() => vi.useRealTimers())
}

class Search {
  readonly #scenario: Scenario
  readonly #codes: Record<string, RequestCode> = {}
  readonly #numberOf = numbering()

  constructor(scenario: Scenario) {
    this.#scenario = scenario
    for (const [i, request] of clientRequests(scenario.requests).entries())
      this.#codes[request.name] = new RequestCode(request, i)
  }

  async run(): Promise<{ ends: string[]; broken?: Broken }> {
    const first: Reached = { state: await this.#initialState() }
    const rule = ruleBrokenByItems(first.state.items, this.#scenario)
    if (rule) return { ends: [], broken: this.#broken(rule, first) }
    const open = [first]
    const seen = new Set<string>()
    const ends = new Set<string>()
    for (const before of open) {
      const steps = await this.#steps(before.state)
      const end = endOfAll(before.state)
      if (end !== undefined) ends.add(end)
      else if (steps.length === 0) return { ends: [], broken: this.#broken(ENDS, before) }
      for (const step of steps) {
        const reached = { state: await this.#witnessed(step.next), step, before }
        const rule = await this.#ruleBrokenBy(step, before.state)
        if (rule) return { ends: [], broken: this.#broken(rule, reached) }
        const name = this.#nameOf(reached.state)
        if (!seen.has(name)) open.push(reached)
        seen.add(name)
      }
    }
    return { ends: [...ends].filter((end) => !end.includes('crashed')).sort() }
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
    return model.initialState(model.storedAtFirst(this.#scenario), requests)
  }

  async #steps(state: State): Promise<Step[]> {
    const { pauses = 0 } = this.#scenario
    const steps = [...model.databaseSteps(state, pauses)]
    for (const code of Object.values(this.#codes)) steps.push(...(await requestSteps(state, code)))
    return steps
  }

  async #ruleBrokenBy(step: Step, state: State): Promise<string | undefined> {
    const { next, write, response } = step
    if (write && next.commits !== state.commits) {
      const rule =
        ruleBrokenByWrite(state, write, this.#codeOf(write.by).clientRequest) ??
        ruleBrokenByItems(next.items, this.#scenario)
      if (rule) return rule
    }
    if (!response) return isEndless(next) ? ENDS : undefined
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
    for (const [name, request] of Object.entries(requests))
      if (request.kind === 'running' && request.since !== undefined)
        requests[name] = {
          ...request,
          right: await this.#rightResponses(state, name, request.right),
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
      const response = await this.#codeOf(by).alone(name, moment, now)
      if (response) right.add(responseText(response))
    }
    return right.size === earlier.length ? earlier : [...right].sort()
  }

  /** States with the same name are the same. */
  #nameOf({ now, items, hidden, before, commits, late, requests }: State): string {
    const parts = Object.values(requests).map((request) =>
      request.kind === 'ended'
        ? request.as
        : [request.since, request.progress.number, this.#numberOf(request.right)],
    )
    const numbers = [items, before, commits, late].map(this.#numberOf)
    return [now, hidden, ...numbers, ...parts].join(' ')
  }

  #broken(rule: string, reached: Reached): Broken {
    const steps: Step[] = []
    for (let each: Reached | undefined = reached; each; each = each.before)
      if (each.step) steps.unshift(each.step)
    const clientRequests = Object.values(this.#codes).map(({ clientRequest }) => clientRequest)
    return { rule, steps, items: reached.state.items, clientRequests }
  }
}

const ENDS = 'each request ends'

/** Whatever the others do, a request needs fewer calls. */
const isEndless = ({ requests }: State): boolean =>
  Object.values(requests).some(
    (each) => each.kind === 'running' && each.progress.results.length > 16,
  )

/** How all requests ended; `undefined` while one is running. */
const endOfAll = ({ requests }: State): string | undefined => {
  const ends = Object.entries(requests).map(([name, request]) =>
    request.kind === 'ended' ? `${name} ${request.as}` : undefined,
  )
  return ends.includes(undefined) ? undefined : ends.join(', ')
}

/** Numbers for values: the same for values with the same JSON. */
const numbering = () => {
  const byText = new Map<string, number>()
  const byValue = new WeakMap<object, number>()
  return (value: object): number => {
    const known = byValue.get(value)
    if (known !== undefined) return known
    const text = JSON.stringify(value)
    const number = byText.get(text) ?? byText.size
    byText.set(text, number)
    byValue.set(value, number)
    return number
  }
}

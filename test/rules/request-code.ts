import { vi } from 'vitest'
import { stringifyJson } from '../../shared/model/json.ts'
import type { OperationResponse } from '../../shared/pipeline/respond-once.ts'
import * as model from './database-model.ts'
import type { ClientRequest, Service } from './pipeline-model.ts'
import { type Call, type Outcome, RequestRun } from './request-run.ts'

/** The result of a call of the database, by its number in the request. */
type Result = { call: number; value: unknown; time: number }

/** How far a request comes with the results of its calls. */
export type Progress = {
  number: number
  /** The number that it had when its last run started. */
  start: number
  runs: number
  results: Result[]
  outcome: Outcome
}

/**
 * The service's code for one request. It cannot be stopped and copied at a call, so it runs from
 * its start with the results so far, once for the same results.
 */
export class RequestCode {
  readonly clientRequest: ClientRequest
  readonly #number: number
  readonly #service: Service
  readonly #texts = new WeakMap<object, string>()
  readonly #known = new Map<string, Promise<Progress>>()
  readonly #alone = new Map<string, Promise<OperationResponse[]>>()

  constructor(clientRequest: ClientRequest, number: number, service: Service) {
    this.clientRequest = clientRequest
    this.#number = number
    this.#service = service
  }

  /** Runs it to its first calls. */
  start(): Promise<Progress> {
    return this.#progress('', [])
  }

  /** Runs it on with the result of a call. */
  next(progress: Progress, result: Result): Promise<Progress> {
    const { number, start, results } = progress
    // A run whose write is refused leaves nothing, so it does not matter what it has read.
    const from = result.value === false ? start : number
    return this.#progress(`${from} ${this.#nameOf(result)}`, [...results, result], progress)
  }

  /**
   * The responses that it gets if nothing else happens, in any order of its calls, without those
   * that change items or were stored before. `name` is one of the items.
   */
  alone(name: string, items: model.Items, now: number): Promise<OperationResponse[]> {
    const responses = this.#alone.get(name) ?? this.#runAlone(items, now)
    this.#alone.set(name, responses)
    return responses
  }

  #progress(name: string, results: Result[], before?: Progress): Promise<Progress> {
    const known = this.#known.get(name)
    if (known) return known
    const number = this.#known.size
    const progress = this.#replay(results).then(({ runs, outcome }): Progress => {
      const start = before?.runs === runs ? before.start : number
      return { number, start, runs, results, outcome }
    })
    this.#known.set(name, progress)
    return progress
  }

  async #replay(results: Result[]): Promise<{ runs: number; outcome: Outcome }> {
    const run = new RequestRun(this.clientRequest, this.#number, this.#service)
    setTime(results[0]?.time ?? 0)
    await run.start()
    for (const { call, value, time } of results) {
      setTime(time)
      await run.settle(call, value)
    }
    return { runs: run.runs, outcome: run.outcome() }
  }

  async #runAlone(items: model.Items, time: number): Promise<OperationResponse[]> {
    const responses: OperationResponse[] = []
    const open = [await this.start()]
    for (const progress of open) {
      const { outcome } = progress
      // If it fails, it does so in the exploration, too.
      if (outcome.kind === 'responds' && !outcome.response.isReplay)
        responses.push(outcome.response)
      if (outcome.kind !== 'waits' || isEndless(progress)) continue
      for (const call of outcome.calls) {
        if (call.kind === 'write' && model.changesItems(call.actions)) continue
        const value = resultAlone(call, items)
        open.push(await this.next(progress, { call: call.number, value, time }))
      }
    }
    return responses
  }

  #nameOf({ call, value, time }: Result): string {
    const texts = (Array.isArray(value) ? value : [value]).map((each) => this.#textOf(each))
    return `${call} ${time} ${texts.join(' ')}`
  }

  /** The JSON of a value. Most are items that were read before. */
  #textOf(value: unknown): string {
    if (!(value instanceof Object)) return stringifyJson(value)
    const text = this.#texts.get(value) ?? stringifyJson(value)
    this.#texts.set(value, text)
    return text
  }
}

/** Whatever the others do, a request needs fewer calls. */
export const isEndless = ({ results }: Progress): boolean => results.length > 100

const resultAlone = (call: Call, items: model.Items): unknown => {
  switch (call.kind) {
    case 'read':
      return call.keys.map((key) => items[model.nameOf(key)] ?? null)
    case 'list':
      return model.pageOf(items, call.query)
    case 'write':
      return true
  }
}

const setTime = (time: number): void =>
  void vi.setSystemTime(model.START + time * model.EIGHT_HOURS)

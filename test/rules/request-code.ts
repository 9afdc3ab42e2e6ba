import { vi } from 'vitest'
import { stringifyJson } from '../../shared/model/json.ts'
import type { OperationResponse } from '../../shared/pipeline/respond-once.ts'
import * as model from './database-model.ts'
import type { ClientRequest, Service } from './pipeline-model.ts'
import { type Call, type Outcome, RequestRun } from './request-run.ts'

/** The result of a call of the database, by its number in the request. */
type Result = { call: number; value: unknown; time: number }

/** How far a request comes with the results of its calls. */
export type Progress = { number: number; results: Result[]; outcome: Outcome }

/**
 * The service's code for one request. It cannot be stopped and copied at a call, so it runs from
 * its start with the results so far, once for the same results.
 */
export class RequestCode {
  readonly clientRequest: ClientRequest
  readonly #number: number
  readonly #service: Service
  readonly #known = new Map<string, Promise<Progress>>()
  readonly #alone = new Map<string, Promise<OperationResponse | undefined>>()

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
  next({ number, results }: Progress, result: Result): Promise<Progress> {
    return this.#progress(`${number} ${stringifyJson(result)}`, [...results, result])
  }

  /**
   * The response that it gets if nothing else happens, unless it changes items or was stored
   * before. `name` is one of the items.
   */
  alone(name: string, items: model.Items, now: number): Promise<OperationResponse | undefined> {
    const response = this.#alone.get(name) ?? this.#runAlone(items, now)
    this.#alone.set(name, response)
    return response
  }

  #progress(name: string, results: Result[]): Promise<Progress> {
    const known = this.#known.get(name)
    if (known) return known
    const number = this.#known.size
    const progress = this.#replay(results).then((outcome) => ({ number, results, outcome }))
    this.#known.set(name, progress)
    return progress
  }

  async #replay(results: Result[]): Promise<Outcome> {
    const run = this.#newRun()
    setTime(results[0]?.time ?? 0)
    await run.start()
    for (const { call, value, time } of results) {
      setTime(time)
      await run.settle(call, value)
    }
    return run.outcome()
  }

  async #runAlone(items: model.Items, now: number): Promise<OperationResponse | undefined> {
    const run = this.#newRun()
    setTime(now)
    await run.start()
    for (let calls = 0; calls < MAX_CALLS; calls++) {
      const outcome = run.outcome()
      if (outcome.kind === 'fails') return undefined // It also does in the exploration.
      if (outcome.kind === 'responds')
        return outcome.response.isReplay ? undefined : outcome.response
      const [call] = outcome.calls
      if (!call || (call.kind === 'write' && model.changesItems(call.actions))) return undefined
      await run.settle(call.number, resultAlone(call, items))
    }
    return undefined
  }

  #newRun(): RequestRun {
    return new RequestRun(this.clientRequest, this.#number, this.#service)
  }
}

/** Whatever the others do, a request needs fewer calls. */
export const MAX_CALLS = 100

const resultAlone = (call: Call, items: model.Items): unknown => {
  switch (call.kind) {
    case 'read':
      return call.keys.map((key) => items[model.nameOf(key)])
    case 'list':
      return model.pageOf(items, call.query)
    case 'write':
      return { kind: 'written' }
  }
}

const setTime = (time: number): void =>
  void vi.setSystemTime(model.START + time * model.EIGHT_HOURS)

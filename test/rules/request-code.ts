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
    const name = `${progress.number} ${stringifyJson(result)}`
    return this.#progress(name, [...progress.results, result])
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

  #progress(name: string, results: Result[]): Promise<Progress> {
    const known = this.#known.get(name)
    if (known) return known
    const number = this.#known.size
    const progress = this.#replay(results).then((outcome) => ({ number, results, outcome }))
    this.#known.set(name, progress)
    return progress
  }

  async #replay(results: Result[]): Promise<Outcome> {
    const run = new RequestRun(this.clientRequest, this.#number, this.#service)
    setTime(results[0]?.time ?? 0)
    await run.start()
    for (const { call, value, time } of results) {
      setTime(time)
      await run.settle(call, value)
    }
    return run.outcome()
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
}

/** Whatever the others do, a request needs fewer calls. */
export const isEndless = ({ results }: Progress): boolean => results.length > 25

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

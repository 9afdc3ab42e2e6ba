import { vi } from 'vitest'
import type { Database, Item, Key, TransactAction } from '../../shared/data/items.ts'
import type { PageQuery } from '../../shared/data/list.ts'
import { runOn } from '../../shared/data/run-transaction.ts'
import { ApiError } from '../../shared/model/api-error.ts'
import type { OperationResponse } from '../../shared/pipeline/respond-once.ts'
import * as model from './database-model.ts'
import { type ClientRequest, respond } from './pipeline-model.ts'

/** A call of the database. */
export type Call =
  | { kind: 'read'; keys: Key[] }
  | { kind: 'list'; query: PageQuery }
  | { kind: 'write'; revision: string; actions: TransactAction[] }

/** How far a request comes with the results of its calls: its next call, or its response. */
export type Progress = {
  number: number
  results: { value: unknown; time: number }[]
  outcome: Call | { kind: 'response'; response: OperationResponse; hasListed: boolean }
}

/**
 * The service's code for one request. It cannot be stopped and copied at a call, so it runs from
 * its start with the results so far, once for the same results.
 */
export class RequestCode {
  readonly clientRequest: ClientRequest
  readonly #number: number
  readonly #known = new Map<string, Promise<Progress>>()
  readonly #alone = new Map<string, Promise<OperationResponse | undefined>>()

  constructor(clientRequest: ClientRequest, number: number) {
    this.clientRequest = clientRequest
    this.#number = number
  }

  /** Runs it to its first call. */
  start(): Promise<Progress> {
    return this.#progress('', [])
  }

  /** Runs it to the call after the one that had this result. */
  next({ number, results }: Progress, value: unknown, time: number): Promise<Progress> {
    const result = { value, time }
    return this.#progress(`${number} ${JSON.stringify(result)}`, [...results, result])
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

  async #progress(name: string, results: Progress['results']): Promise<Progress> {
    const known = this.#known.get(name)
    if (known) return known
    const number = this.#known.size
    const progress = this.#replay(results).then((outcome) => ({ number, results, outcome }))
    this.#known.set(name, progress)
    return progress
  }

  #replay(results: Progress['results']) {
    const { promise, resolve, reject } = Promise.withResolvers<Progress['outcome']>()
    const left = [...results]
    const ids = new NewIds(this.#number)
    let runs = 0
    let hasListed = false
    const database = databaseOf(async (call) => {
      if (call.kind === 'list') hasListed = true
      if (call.kind === 'write') ids.rename(call.actions, runs)
      const result = left.shift()
      if (!result) {
        resolve(ids.renamedIn(call))
        return new Promise(() => {})
      }
      setTime(result.time)
      return result.value
    })
    setTime(left[0]?.time ?? 0)
    this.#run(database, () => `${this.clientRequest.name}-${++runs}`).then(
      (response) => resolve(ids.renamedIn({ kind: 'response', response, hasListed })),
      reject,
    )
    return promise
  }

  async #runAlone(items: model.Items, now: number): Promise<OperationResponse | undefined> {
    let hasEffect = false
    const database: Database = {
      read: async (keys) => keys.map((key) => items[model.nameOf(key)]),
      list: async (query) => model.pageOf(items, query),
      write: async (_, actions) => {
        hasEffect = model.changesItems(actions)
        return { kind: 'written' }
      },
      pause: async () => {},
    }
    setTime(now)
    const response = await this.#run(database, () => 'alone')
    return hasEffect || response.isReplay ? undefined : response
  }

  async #run(database: Database, newRevision: () => string): Promise<OperationResponse> {
    try {
      return await runOn(database, (tx) => respond(tx, this.clientRequest), newRevision)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { status: error.status, body: JSON.stringify(error.body) }
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a result has the type of its call.
const databaseOf = (send: (call: Call) => Promise<any>): Database => ({
  read: async (keys) =>
    (await send({ kind: 'read', keys })).map((item: Item | null) => item ?? undefined),
  list: (query) => send({ kind: 'list', query }),
  write: (revision, actions) => send({ kind: 'write', revision, actions }),
  pause: async () => {},
})

/** Ids such as 101 in place of those that the service generates, which differ each time. */
class NewIds {
  readonly #request: number
  readonly #short = new Map<string, number>()

  constructor(request: number) {
    this.#request = request
  }

  /** Gives the ids that a run of the request creates short ones. */
  rename(actions: TransactAction[], run: number): void {
    const created = actions
      .filter(({ kind, expected }) => kind === 'put' && !expected)
      .flatMap(({ key }) => (typeof key.value === 'number' ? [`${key.value}`] : []))
    for (const [n, id] of created.entries())
      this.#short.set(id, 1000 * n + 100 * (this.#request + 1) + run)
  }

  renamedIn<Value extends object>(value: Value): Value {
    const text = JSON.stringify(value)
    return JSON.parse(text.replace(/\d{14,}/g, (id) => `${this.#short.get(id) ?? id}`))
  }
}

const setTime = (time: number): void =>
  void vi.setSystemTime(model.START + time * model.EIGHT_HOURS)

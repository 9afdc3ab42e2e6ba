import type { PageQuery } from '../../shared/data/list.ts'
import type { Transaction } from '../../shared/data/transaction.ts'
import type {
  Item,
  Key,
  TransactAction,
  TransactionStore,
} from '../../shared/data/transaction-store.ts'
import { ApiError } from '../../shared/model/api-error.ts'
import { deepFreeze } from '../../shared/model/deep-freeze.ts'
import type { OperationResponse } from '../../shared/pipeline/respond-once.ts'
import { LaterTransaction, Turns } from './later-transaction.ts'
import { NewIds } from './new-ids.ts'
import type { ClientRequest, Service } from './pipeline-model.ts'

/** A call of the database. */
export type Call =
  | { kind: 'read'; keys: Key[] }
  | { kind: 'list'; query: PageQuery }
  | { kind: 'write'; revision: string; actions: TransactAction[] }

/** A call that waits for its result, by its number in the request. */
export type OpenCall = Call & { number: number }

/** How far a request has come. */
export type Outcome =
  | { kind: 'waits'; calls: OpenCall[] }
  | { kind: 'responds'; response: OperationResponse; hasListed: boolean }
  | { kind: 'fails'; error: Error }

const kindOf = (result: unknown): Call['kind'] => {
  if (Array.isArray(result)) return 'read'
  return typeof result === 'boolean' ? 'write' : 'list'
}

const OTHER_CALL = new Error('The function must not remember an earlier run.')

/** The service's code as it runs for one request, from one call of the database to the next. */
export class RequestRun {
  readonly #request: ClientRequest
  readonly #service: Service
  readonly #ids: NewIds
  readonly #turns = new Turns()
  readonly #open = new Map<number, { call: Call; settle: (value: unknown) => void }>()
  #calls = 0
  /** How often its function has run. */
  #runs = 0
  #hasListed = false
  #end: Outcome | undefined

  constructor(request: ClientRequest, number: number, service: Service) {
    this.#request = request
    this.#service = service
    this.#ids = new NewIds(number)
  }

  async start(): Promise<void> {
    this.#response().then(
      (response) => this.#endWith({ kind: 'responds', response, hasListed: this.#hasListed }),
      (error) => this.#endWith({ kind: 'fails', error }),
    )
    await this.#turns.untilQuiet()
  }

  /** Lets a call return a value. */
  async settle(number: number, value: unknown): Promise<void> {
    const open = this.#open.get(number)
    this.#open.delete(number)
    if (open && open.call.kind !== kindOf(value))
      this.#endWith({ kind: 'fails', error: OTHER_CALL })
    open?.settle(value)
    await this.#turns.untilQuiet()
  }

  /** The calls that it waits for, or its end. */
  outcome(): Outcome {
    if (this.#end) return this.#end
    const calls = Array.from(this.#open, ([number, { call }]) => ({ ...call, number }))
    if (calls.length > 0) return this.#ids.renamedIn({ kind: 'waits', calls })
    return { kind: 'fails', error: new Error('The function waits for something else than its tx.') }
  }

  async #response(): Promise<OperationResponse> {
    try {
      const work = (tx: Transaction) => this.#runOnce(tx)
      return await this.#service.runOn(this.#store(), work, () => this.#newRevision())
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { status: error.status, body: JSON.stringify(error.body) }
    }
  }

  #newRevision(): string {
    this.#ids.startRun()
    return `${this.#request.name}-${++this.#runs}`
  }

  async #runOnce(tx: Transaction): Promise<OperationResponse> {
    const later = new LaterTransaction(tx, this.#turns, {
      created: (key) => this.#ids.add(key),
      late: (error) => this.#endWith({ kind: 'fails', error }),
    })
    try {
      return await later.run((tx) => this.#service.respond(tx, this.#request))
    } finally {
      // A refusal may leave calls. Nobody waits for them.
      this.#open.clear()
    }
  }

  /** The first end counts, but for a call that comes late. */
  #endWith(end: Outcome): void {
    if (this.#end?.kind === 'fails') return
    this.#end = end.kind === 'fails' ? end : this.#ids.renamedIn(end)
  }

  #store(): TransactionStore {
    return {
      read: async (key) => (await this.#read([key]))[0],
      // A result has the type of its call.
      list: (query) => this.#send({ kind: 'list', query }) as never,
      check: async (items) => {
        const found = await this.#read(items.map(({ key }) => key))
        return items.every(({ expected }, i) => found[i]?.revision === expected)
      },
      write: (revision, actions) => this.#send({ kind: 'write', revision, actions }) as never,
      pause: async () => {},
    }
  }

  async #read(keys: Key[]): Promise<(Item | undefined)[]> {
    const items = (await this.#send({ kind: 'read', keys })) as (Item | null | undefined)[]
    return items.map((item) => deepFreeze(item ?? undefined))
  }

  #send(call: Call): Promise<unknown> {
    if (call.kind === 'list') this.#hasListed = true
    const { promise, resolve } = Promise.withResolvers<unknown>()
    this.#open.set(this.#calls++, { call, settle: resolve })
    return promise
  }
}

import type { Key } from '../../shared/data/transaction-store.ts'
import { exactJson, stringifyJson } from '../../shared/model/json.ts'

/**
 * Short ids in place of those that the service generates, which differ each time: 101 for the first
 * resource that the first request creates in its first run, 102 in its second run, 201 for the
 * second request, 1101 for the second resource.
 */
export class NewIds {
  readonly #request: number
  readonly #short = new Map<string, number>()
  #run = 0
  /** How many resources this run has created. */
  #created = 0

  constructor(request: number) {
    this.#request = request
  }

  startRun(): void {
    this.#run++
    this.#created = 0
  }

  /** Gives a short id to a resource that this run creates. */
  add({ value }: Key): void {
    const id = `${value}`
    if (!GENERATED.test(id) || this.#short.has(id)) return
    this.#short.set(id, 1000 * this.#created + 100 * (this.#request + 1) + this.#run)
    this.#created++
  }

  renamedIn<Value extends object>(value: Value): Value {
    const text = stringifyJson(value)
    const renamed = text.replace(/\d{14,}/g, (id) => `${this.#short.get(id) ?? id}`)
    return exactJson(renamed) as Value // What it was, but for the ids.
  }
}

const GENERATED = /^\d{14,}$/

import type { Item, TransactAction } from '../../shared/data/items.ts'
import type { OperationResponse } from '../../shared/pipeline/respond-once.ts'
import { type Items, nameOf, type Step, type Write } from './database-model.ts'
import { type ClientRequest, endOf, recordName } from './pipeline-model.ts'

/** What happens, in words. */
export type Event = (say: Words) => string

/** A rule, and the steps that broke it. */
export type Broken = { rule: string; steps: Step[]; items: Items; clientRequests: ClientRequest[] }

/** Tells how a rule was broken: the events one by one, and what is stored after them. */
export const counterexample = ({ rule, steps, items, clientRequests }: Broken): string => {
  const say = new Words(steps, clientRequests)
  const events = steps.flatMap((step) => [
    step.event(say),
    ...(step.response ? [ending(step.response.by, step.response.response)] : []),
  ])
  const stored = Object.entries(items).flatMap(([name, item]) =>
    item ? [say.item(name, item)] : [],
  )
  const parts = [
    [`This must hold, and does not: ${rule}.`],
    events.map((event, i) => `${i + 1}. ${event}`),
    ['Then stored:', ...(stored.length > 0 ? stored : ['nothing'])],
  ]
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

const ending = (by: string, response: OperationResponse): string => {
  const end = endOf(response)
  if (end === 'done') return `${by} is done`
  const { message } = Object(JSON.parse(response.body || '{}'))
  return `${by} gets ${end === 'replay' ? 'a replay' : `${end}: ${message}`}`
}

/** The words of a story. Of an item, it tells the fields that change in the story. */
class Words {
  readonly #changing = new Map<string, string[]>()
  readonly #keys: Map<string, string>

  constructor(steps: Step[], clientRequests: ClientRequest[]) {
    const commits = Object.values(steps.at(-1)?.next.commits ?? {})
    const versions = Map.groupBy(
      commits.flatMap(({ actions }) => actions.filter((action) => action.kind === 'put')),
      ({ key }) => nameOf(key),
    )
    for (const [name, puts] of versions)
      this.#changing.set(name, changingFields(puts.map(({ item }) => item)))
    this.#keys = new Map(
      clientRequests.flatMap(({ idempotent }) =>
        idempotent ? [[recordName(idempotent), idempotent.key]] : [],
      ),
    )
  }

  /** An item by its name, such as `pet 1`. */
  name(name: string): string {
    const key = this.#keys.get(name)
    if (key !== undefined) return `the record of key ${key}`
    const [table = '', id] = name.split(' ')
    return `${table.replace(/s$/, '')} ${id}`
  }

  /** An item with its fields, such as `pet 1: status sold`. */
  item(name: string, item: Item | undefined): string {
    return `${this.name(name)}: ${item ? this.#fields(name, item) : 'none'}`
  }

  /** What a write does, such as `changes pet 1 (status sold)`. */
  write({ actions }: Write): string {
    return actions.map((action) => this.#action(action)).join(' and ')
  }

  #action(action: TransactAction): string {
    const name = nameOf(action.key)
    switch (action.kind) {
      case 'check':
        return `checks ${this.name(name)}`
      case 'delete':
        return `deletes ${this.name(name)}`
      case 'put': {
        const verb = action.expected === undefined ? 'creates' : 'changes'
        return `${verb} ${this.name(name)} (${this.#fields(name, action.item)})`
      }
    }
  }

  #fields(name: string, item: Item): string {
    const changing = this.#changing.get(name) ?? []
    const fields = this.#keys.has(name) ? ['status'] : fieldsOf(item)
    const told = changing.length > 0 && !this.#keys.has(name) ? changing : fields
    return told.map((field) => `${field} ${item[field] ?? 'none'}`).join(', ')
  }
}

const changingFields = (versions: Item[]): string[] => {
  const fields = new Set(versions.flatMap(fieldsOf))
  return [...fields].filter((field) => new Set(versions.map((item) => item[field])).size > 1)
}

/** The fields of an item that are neither its id nor of the service's own. */
const fieldsOf = (item: Item): string[] =>
  Object.keys(item).filter((name) => name !== 'id' && !/^revision$|shard$/i.test(name))

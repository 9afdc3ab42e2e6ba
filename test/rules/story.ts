import { type TableId, tables } from '../../shared/data/tables.ts'
import type { Item, TransactAction } from '../../shared/data/transaction-store.ts'
import { stringifyJson } from '../../shared/model/json.ts'
import type { OperationResponse } from '../../shared/pipeline/respond-once.ts'
import { type Items, nameOf, type Step, type Write } from './database-model.ts'
import { type ClientRequest, endOf } from './pipeline-model.ts'

/** What happens, in words. */
export type Event = (say: Words) => string

/** Steps, and what is stored after them. */
export type Story = { steps: Step[]; items: Items; clientRequests: ClientRequest[] }

/** A rule, the steps that broke it, and the bug that did. */
export type Broken = { rule: string; error: Error | undefined; story: Story }

/** Tells how a rule was broken. */
export const counterexample = ({ rule, story }: Broken): string =>
  [`This must hold, and does not: ${rule}.`, ...told(story)].join('\n\n')

/** Tells the shortest way to each end that was not expected; `undefined` if all were. */
export const otherEnds = (
  found: { end: string; story: Story }[],
  expected: string[],
): string | undefined => {
  const missing = expected.filter((each) => !found.some(({ end }) => end === each))
  const others = found.filter(({ end }) => !expected.includes(end))
  if (missing.length + others.length === 0) return undefined
  const ends = found.map(({ end }) => `\n  ${end}`).sort()
  return [
    `The requests do not end as expected, but in these ways:${ends.join('')}`,
    ...(missing.length > 0 ? [`Never: ${missing.join('; ')}`] : []),
    ...others.flatMap(({ end, story }) => [`How ${end}:`, ...told(story)]),
  ].join('\n\n')
}

/** The events one by one, and what is stored after them. */
const told = ({ steps, items, clientRequests }: Story): string[] => {
  const say = new Words(steps, clientRequests)
  const events = steps.flatMap(({ event, response, failure }) => [
    event(say),
    ...(response ? [ending(response.by, response.response)] : []),
    ...(failure ? [`${failure.by} fails: ${failure.error}`] : []),
  ])
  const stored = Object.entries(items).flatMap(([name, item]) =>
    item ? [say.item(name, item)] : [],
  )
  return [
    events.map((event, i) => `${i + 1}. ${event}`).join('\n'),
    ['Then stored:', ...(stored.length > 0 ? stored : ['nothing'])].join('\n'),
  ]
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
      this.#changing.set(
        name,
        changingFields(
          name,
          puts.map(({ item }) => item),
        ),
      )
    this.#keys = new Map(
      clientRequests.flatMap(({ record, idempotent }) =>
        record && idempotent ? [[record, idempotent.key]] : [],
      ),
    )
  }

  /** An item by its name, such as `pet 1`. */
  name(name: string): string {
    const key = this.#keys.get(name)
    if (key !== undefined) return `the record of key ${key}`
    const { table, value } = partsOf(name)
    return `${table.replace(/s$/, '')} ${value}`
  }

  /** An item with its fields, such as `pet 1: status sold`. */
  item(name: string, item: Item | undefined): string {
    return `${this.name(name)}: ${item ? this.#fields(name, item) || 'stored' : 'none'}`
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
        const fields = this.#fields(name, action.item)
        return `${verb} ${this.name(name)}${fields && ` (${fields})`}`
      }
    }
  }

  #fields(name: string, item: Item): string {
    const changing = this.#changing.get(name) ?? []
    const fields = this.#keys.has(name) ? ['status'] : fieldsOf(name, item)
    const told = changing.length > 0 && !this.#keys.has(name) ? changing : fields
    return told.map((field) => `${field} ${textOf(item[field])}`).join(', ')
  }
}

const partsOf = (name: string) => {
  const [table = '', ...words] = name.split(' ')
  return { table: table as TableId, value: words.join(' ') }
}

const changingFields = (name: string, versions: Item[]): string[] => {
  const fields = new Set(versions.flatMap((item) => fieldsOf(name, item)))
  return [...fields].filter(
    (field) => new Set(versions.map((item) => textOf(item[field]))).size > 1,
  )
}

/** The fields of an item that are neither its key nor of the service's own. */
const fieldsOf = (name: string, item: Item): string[] => {
  const key = tables[partsOf(name).table].partitionKey.name
  return Object.keys(item).filter((field) => field !== key && !/^revision$|shard$/i.test(field))
}

const textOf = (value: unknown): string => {
  if (value === undefined) return 'none'
  return typeof value === 'object' ? stringifyJson(value) : `${value}`
}

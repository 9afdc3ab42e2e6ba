import { isDeepStrictEqual } from 'node:util'
import { tableIds } from '../../shared/data/tables.ts'
import type { Item } from '../../shared/data/transaction-store.ts'
import { exactJson } from '../../shared/model/json.ts'
import type { OperationResponse } from '../../shared/pipeline/respond-once.ts'
import type { Scenario, Stored } from './all-orders.ts'
import {
  changesItems,
  type GotResponse,
  hasExpired,
  type Items,
  nameOf,
  type SentWrite,
  type State,
} from './database-model.ts'
import { type ClientRequest, responseText } from './pipeline-model.ts'

// What the service promises of each request, whatever it does: rules that hold in every scenario.

/** The rule that a write breaks if it takes effect in this state. */
export const ruleBrokenByWrite = (
  { now, items, commits, requests }: State,
  { by, actions }: SentWrite,
  { record }: ClientRequest,
): string | undefined => {
  const request = requests[by]
  if (request?.kind === 'ended' && request.as !== 'crashed')
    return 'a request takes no effect after its response'
  if (Object.values(commits).some((commit) => commit.by === by))
    return 'a request takes effect once'
  if (record === undefined) return undefined
  if (!actions.some(({ key }) => nameOf(key) === record))
    return 'a request with a key takes effect with its idempotency record'
  const earlier = items[record]
  return earlier && !hasExpired(earlier, now) ? 'a key takes effect once' : undefined
}

/** The rule that a response breaks; `right` are those that are right without an effect. */
export const ruleBrokenByResponse = (
  state: State,
  { by, since, response }: GotResponse,
  right: string[],
  { record }: ClientRequest,
): string | undefined => {
  const { status, body, isReplay } = response
  const own = Object.values(state.commits).filter((commit) => commit.by === by)
  const tookEffect = own.some(({ actions }) => changesItems(actions))
  // A 422 and an outage are of this attempt alone.
  if (record !== undefined && status !== 422 && status < 500) {
    const stored = state.items[record] as (Item & OperationResponse) | undefined
    if (!stored || responseText(stored) !== responseText(response))
      return 'the response to a request with a key is the one that is stored'
    if (isReplay && hasExpired(stored, since))
      return 'an idempotency record that has expired is not used'
    if (Boolean(isReplay) === own.length > 0)
      return 'a response is a replay if another request stored it'
  }
  if (!resourcesIn(exactJson(body || 'null')).every(isOfCommitOf(state)))
    return 'a response has a resource as it was stored'
  if (isReplay) return undefined
  if (status >= 400 && tookEffect) return 'a request that is refused has no effect'
  if (tookEffect || right.includes(responseText(response))) return undefined
  return 'a response was right at a moment of its request'
}

/** The resources in a value, at any depth: what has a revision. */
const resourcesIn = (value: unknown): Item[] => {
  if (typeof value !== 'object' || value === null) return []
  if ('revision' in value) return [value as Item]
  return Object.values(value).flatMap(resourcesIn)
}

/** Whether a resource is as the commit of its revision put it. */
const isOfCommitOf =
  ({ commits }: State) =>
  (resource: Item): boolean =>
    (commits[resource.revision]?.actions ?? []).some(
      (action) => action.kind === 'put' && hasFields(action.item, resource),
    )

const hasFields = (item: Item, fields: Item): boolean =>
  Object.entries(fields).every(([name, value]) => isDeepStrictEqual(item[name], value))

/** The rule of a scenario that these items break. */
export const ruleBrokenByItems = (
  items: Items,
  { invariants = {} }: Scenario,
): string | undefined => {
  const stored = byTable(items)
  return Object.keys(invariants).find((rule) => !invariants[rule]?.(stored))
}

const byTable = (items: Items): Stored => {
  const stored = tableIds.map((id) => [
    id,
    Object.entries(items).flatMap(([name, item]) =>
      item && name.startsWith(`${id} `) ? [item] : [],
    ),
  ])
  return Object.fromEntries(stored)
}

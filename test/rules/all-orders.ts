import type { collections } from '../../shared/collections.ts'
import type { Attributes } from '../../shared/data/indexes.ts'
import type { CollectionId, TableId } from '../../shared/data/tables.ts'
import type { Transaction } from '../../shared/data/transaction.ts'
import type { Item } from '../../shared/data/transaction-store.ts'
import { service } from './pipeline-model.ts'
import { explore } from './search.ts'
import { counterexample, otherEnds } from './story.ts'

/** Who sends a request. */
export type Client = { id: string }

/** What a function does with its transaction. It gets the same input each time. */
export type Work = (tx: Transaction, input: { client: Client }) => Promise<unknown>

/**
 * A request of a client. Requests of one client with the same key and the same work are retries of
 * each other.
 */
export type Request = Work | { work: Work; key?: string; client?: Client }

type Collections = typeof collections
type OtherTable = Exclude<TableId, CollectionId>

/** What is stored at one moment: resources with all their fields, and the items of other tables. */
export type Stored = { [Id in CollectionId]: Awaited<ReturnType<Collections[Id]['get']>>[] } & {
  [Id in OtherTable]: Item[]
}

/** What is stored at first: resources, and items of other tables with the attribute of their key. */
export type StoredAtFirst = {
  [Id in CollectionId]?: Parameters<Collections[Id]['putWithId']>[1][]
} & { [Id in OtherTable]?: Attributes[] }

export type Scenario = {
  stored?: StoredAtFirst
  /** Requests at the same time, by the names that the story has for them. */
  requests: Record<string, Request>
  /** Rules: whether what is stored at one moment is as it must be. */
  invariants?: Record<string, (stored: Stored) => boolean>
  /**
   * All ways in which the requests end, such as `ann done, bob 409`: `done`, the status of an
   * error, or `replay` for a response that was stored.
   */
  ends?: string[]
  /** How often eight hours pass. An idempotency record is valid for 24 hours. */
  pauses?: number
}

/**
 * Runs the requests in every order of events that DynamoDB and the network allow: reads between
 * any two writes, conflicts, lost responses, late writes, commits that become visible item by item,
 * crashes. Fails if a rule is broken, or the requests end in other ways, with the events that led
 * to it. `by` is the service that runs the requests.
 */
export const expectInAllOrders = async (scenario: Scenario, by = service): Promise<void> => {
  const { ends, broken } = await explore(scenario, by)

  if (broken) throw new Error(counterexample(broken), { cause: broken.error })
  // A client that crashes gets no response.
  const found = ends.filter(({ end }) => !end.includes('crashed'))
  const difference = scenario.ends && otherEnds(found, scenario.ends)
  if (difference) throw new Error(difference)
}

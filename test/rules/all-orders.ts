import { expect } from 'vitest'
import type { CollectionId } from '../../shared/data/tables.ts'
import type { Transaction } from '../../shared/data/transaction.ts'
import type { Revised } from '../../shared/model/etag.ts'
import { explore } from './search.ts'
import { counterexample } from './story.ts'

/** The timeout of an exploration that takes a second on a machine that does nothing else. */
export const BUSY_MS = 300_000

/** What a function does with its transaction. It gets the same input each time. */
export type Work = (tx: Transaction) => Promise<Revised<object>> | Promise<void>

/** A request of a client. Those with the same key and the same work are retries of each other. */
export type Request = Work | { key: string; work: Work }

/** The resources of each collection, with all attributes that are stored. */
export type Stored = Record<CollectionId, Record<string, unknown>[]>

export type Scenario = {
  /** What is stored at first. */
  stored?: { [Id in CollectionId]?: ({ id: number } & Record<string, unknown>)[] }
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
 * crashes. Fails if a rule is broken, with the events that led to it.
 */
export const expectInAllOrders = async (scenario: Scenario): Promise<void> => {
  const { ends, broken } = await explore(scenario)

  if (broken) throw new Error(counterexample(broken))
  if (scenario.ends) expect(ends).toEqual(scenario.ends.toSorted())
}

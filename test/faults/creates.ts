import { atMost } from '../../infra/local/server.ts'
import { storeKey, storePet } from '../shared/data/faulty-database.ts'
import { type Call, databaseResponses, type Fault } from '../support/fault-proxy.ts'
import {
  type Container,
  createEvent,
  getEvent,
  isCreated,
  responseInTime,
  send,
  sendUntil,
  startContainer,
  type Wish,
} from './container.ts'
import type { FaultKind } from './fault-kinds.ts'

/** A way to create a pet. */
type Way = {
  /** The requests to the database, when there are no faults. */
  calls: string[]
  /** Sends an earlier request with the same idempotency key. */
  before?: (container: Container, wish: Wish) => Promise<unknown>
  /** Changes the database right before it gets a request. */
  meanwhile?: () => (call: Call) => Promise<unknown>
}

const KEY = 'GetItem ApiKeys'
const RESERVE = 'PutItem IdempotencyKeys'
const RESERVED = 'GetItem IdempotencyKeys'
const PUT = 'PutItem Pets'
const READ = 'GetItem Pets'

const create = (container: Container, wish: Wish) => send(container, createEvent(wish))

const failBeforePut = (container: Container, wish: Wish) => {
  container.proxy.faultOf = (call) => (nameOf(call) === PUT ? databaseResponses.html : 'pass')
  return create(container, wish)
}

/** Stores another pet under the first id that a pet is to get. */
const takeFirstId = () => {
  let isTaken = false
  return async (call: Call) => {
    if (isTaken || nameOf(call) !== PUT) return
    isTaken = true
    await takeId(Number(JSON.parse(call.body).Item.id.N))
  }
}

export const ways: Record<string, Way> = {
  'with a key': { calls: [KEY, RESERVE, PUT] },
  'with a key that has created a pet': { calls: [KEY, RESERVE, RESERVED, PUT, READ], before: create },
  'with a key whose first request failed': { calls: [KEY, RESERVE, RESERVED, PUT], before: failBeforePut },
  'with a key, when the id is in use': { calls: [KEY, RESERVE, PUT, READ, RESERVE, PUT], meanwhile: takeFirstId },
  'without a key': { calls: [KEY, PUT] },
  'without a key, when the id is in use': { calls: [KEY, PUT, READ, PUT], meanwhile: takeFirstId },
}

export const hasKey = ({ calls }: Way): boolean => calls.includes(RESERVE)

/** A create with faults: from which request to the database on, and how many in a row. */
export type Case = FaultKind & { title: string; way: Way; from: number; times: number }

/** The requests to the database and the faults during the first create, all creates, and a read of the pet afterwards. */
export type Outcome = Awaited<ReturnType<typeof run>>

// With more at once, requests would wait for each other until they exceed their time limits.
const limits = { waiting: atMost(24), working: atMost(4) }

/** Runs a case in a container that no other case uses at the same time. */
export const run = (each: Case) =>
  limits[each.waits ? 'waiting' : 'working'](async () => {
    const { container, uses } = idle.pop() ?? { container: await startContainer(), uses: 0 }
    const outcome = await runIn(container, each)
    await container.proxy.settled()
    container.proxy.faultOf = () => 'pass'
    if (uses < MAX_USES) idle.push({ container, uses: uses + 1 })
    return outcome
  })

const idle: { container: Container; uses: number }[] = []
// Failed retries use up the SDK's retry quota, which each container has once.
const MAX_USES = 10
let names = 0

const runIn = async (container: Container, each: Case) => {
  const name = `Rex-${++names}`
  const wish: Wish = { name, apiKey: await storeKey(), idempotencyKey: hasKey(each.way) ? name : undefined }
  // With another API key of the client, so that the create below has to read its own.
  await each.way.before?.(container, { ...wish, apiKey: await storeKey() })
  const endFaults = startFaults(container, each)
  const event = createEvent(wish)
  const creates = [await send(container, event)]
  const met = await endFaults()
  if (hasKey(each.way)) {
    if (!creates.every(isCreated)) creates.push(...(await sendUntil(container, event, isCreated)))
    // The retry of a client that did not get the 201.
    creates.push(...(await sendUntil(container, event, isCreated)))
  }
  const last = creates.at(-1)
  const read = last && isCreated(last) ? getEvent(last.response.body.id, wish.apiKey) : undefined
  return { each, name, creates, read: read && (await responseInTime(container, read)), ...met }
}

/** Applies the faults of a case until the returned function is called. */
const startFaults = ({ proxy }: Container, { fault, from, times, way }: Case) => {
  const meanwhile = way.meanwhile?.()
  const met = { calls: [] as string[], faults: 0 }
  let isOver = false
  let refused: Promise<void> | undefined
  proxy.faultOf = async (call: Call): Promise<Fault> => {
    await meanwhile?.(call)
    if (isOver) return 'pass'
    const number = met.calls.push(nameOf(call))
    if (number < from || number >= from + times) return 'pass'
    met.faults++
    if (fault !== 'refuse') return fault
    refused ??= proxy.refuse()
    return 'cut'
  }
  return async () => {
    isOver = true
    await refused?.then(proxy.accept)
    return met
  }
}

/** A request to the database in short, such as `PutItem Pets`. */
const nameOf = ({ operation, body }: Call): string =>
  `${operation} ${JSON.parse(body).TableName.replace('PetStoreLocal-', '')}`

/** Stores a pet of another client unless the id is in use, and returns whether it did. */
export const takeId = (id: number): Promise<boolean> =>
  storePet({ id, name: 'Another', categoryId: 1, status: 'sold', shard: 0, statusShard: 'sold#0', creation: 'x' })

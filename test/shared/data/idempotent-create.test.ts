import '../../support/database.ts'
import { describe, expect, test } from 'vitest'
import { createOnce, type Reservation, reservationStore, reservedIds } from '../../../shared/data/idempotent-create.ts'
import { ApiError } from '../../../shared/model/api-error.ts'

/** An attempt that draws the `first` ids, which others may have or draw as well, and then ids of its own. */
const attempt = (name: string, first: number[], fingerprint = 'body'): Attempt => {
  const own = Array.from({ length: 9 }, (_, i) => 100 * name.charCodeAt(0) + i)
  return { name, fingerprint, draws: [...first, ...own] }
}

const [a, b] = [attempt('a', [1, 2]), attempt('b', [2, 1])]
const [a1, b1, c1] = [attempt('a', [1]), attempt('b', [1]), attempt('c', [1])]
const [b4, b131, other] = [attempt('b', [4]), attempt('b', [1, 3, 1]), attempt('b', [1], 'other')]

describe('creates one pet, and returns a 201 only for a stored pet, whatever crashes, gets lost or comes late', () => {
  test.each([
    { when: 'no id is in use', attempts: [a, b], taken: [], mayLose: 3 },
    { when: 'both draw the same id', attempts: [a1, b1], taken: [], mayLose: 3 },
    { when: 'one draws an id that is in use', attempts: [a1, b4], taken: [1], mayLose: 1 },
    { when: 'both draw an id that is in use', attempts: [a1, b1], taken: [1], mayLose: 1 },
    { when: 'both draw two ids that are in use', attempts: [a, b], taken: [1, 2], mayLose: 1 },
    { when: 'one moves to the id that the other left', attempts: [a, b131], taken: [1, 3], mayLose: 1 },
    { when: 'three draw the same id', attempts: [a, b1, c1], taken: [], mayLose: 1 },
    { when: 'three draw an id that is in use', attempts: [a, b1, c1], taken: [1], mayLose: 0 },
    { when: 'one sends another body', attempts: [a, other], taken: [1], mayLose: 1 },
  ])('when $when', async (scenario) => {
    const { states, wrong } = await explore(scenario)

    expect(wrong).toBeUndefined()
    expect(states).toBeGreaterThan(800)
  })
})

describe('the exploration finds an error', () => {
  /** A database that ignores the condition of one kind of write. */
  const withoutCondition =
    (kind: Write['do']): CarryOut =>
    (store, call) =>
      call.do === kind ? { result: true, store: put(store, call) } : carryOut(store, call)

  test.each<[string, CarryOut, string]>([
    ['a reservation is moved twice', withoutCondition('replace'), 'Two pets were created.'],
    ['a reservation replaces another one', withoutCondition('reserve'), 'Two pets were created.'],
    ['a pet replaces another one', withoutCondition('write'), 'A request is wrong about who created the pet.'],
    [
      'a pet is not stored although the write succeeds',
      (store, call) => (call.do === 'write' ? { result: true, store } : carryOut(store, call)),
      'A last attempt did not get the pet.',
    ],
  ])('when %s', async (_, carry, expected) => {
    const { wrong } = await explore({ attempts: [a, b], taken: [1, 2], mayLose: 0 }, carry)

    expect(wrong).toBe(expected)
  })
})

test('DynamoDB checks the conditions that the exploration assumes', async () => {
  const store = reservationStore('intent', { abortSignal: new AbortController().signal })
  const [first, second] = [1, 2].map((petId) => ({ petId, fingerprint: 'body' })) as [Reservation, Reservation]

  expect([await store.replace(1, first), await store.read()]).toEqual([false, undefined])
  expect([await store.reserve(first), await store.reserve(second)]).toEqual([true, false])
  expect(await store.replace(3, second)).toBe(false)
  expect(await store.replace(1, { ...second, fingerprint: 'other' })).toBe(false)
  expect(await store.read()).toMatchObject(first)
  expect(await store.replace(1, second)).toBe(true)
  expect(await store.read()).toMatchObject(second)
})

// A model of DynamoDB and of concurrent requests with one idempotency key. It runs the service's own code, and explores
// every order of events: requests that crash, responses that get lost, and writes that take effect late.

/** One request of a client: its name, a digest of its body, and the ids that it draws if it needs any. */
type Attempt = { name: string; fingerprint: string; draws: number[] }

/** A request to the database that may change something. */
type Write =
  | { do: 'reserve'; reservation: Reservation }
  | { do: 'replace'; reservation: Reservation; from: number }
  | { do: 'write'; id: number; creation: string; fingerprint: string }

type Call = Write | { do: 'readReservation' } | { do: 'read'; id: number }

type StoredPet = { creation: string; reservation?: string; fingerprint?: string }
type Store = { reservation: Reservation | null; pets: Record<number, StoredPet> }

/** How the database carries out a request: atomically. Returns the result, and what is stored afterwards. */
type CarryOut = (store: Store, call: Call) => { result: unknown; store: Store }

/** Carries out a request as DynamoDB does, with the conditions of `shared/data`. Reads are strongly consistent. */
const carryOut: CarryOut = (store, call) => {
  if (call.do === 'readReservation') return { result: store.reservation, store }
  if (call.do === 'read') return { result: store.pets[call.id] ?? null, store }
  return isAllowed(store, call) ? { result: true, store: put(store, call) } : { result: false, store }
}

const isAllowed = ({ reservation, pets }: Store, call: Write): boolean => {
  if (call.do === 'reserve') return !reservation
  if (call.do === 'write') return !pets[call.id]
  return reservation?.petId === call.from && reservation.fingerprint === call.reservation.fingerprint
}

/** What is stored after a write, whatever its condition. */
const put = ({ reservation, pets }: Store, call: Write): Store => {
  if (call.do !== 'write') return { reservation: call.reservation, pets }
  const { id, creation, fingerprint } = call
  return { reservation, pets: { ...pets, [id]: { creation, reservation: RESERVATION, fingerprint } } }
}

/**
 * A state: what is stored, the results that each attempt has received (`null`: it has crashed), the writes that may still
 * take effect although nobody waits for them, and how many responses may still get lost.
 */
type State = { store: Store; results: (unknown[] | null)[]; late: Write[]; mayLose: number }

/** The requests, the ids of other pets, and how many responses may get lost. */
type Scenario = { attempts: Attempt[]; taken: number[]; mayLose: number }

/** Visits all states of a scenario. Returns their number, and the first error. */
const explore = async ({ attempts, taken, mayLose }: Scenario, carry: CarryOut = carryOut) => {
  const pets = Object.fromEntries(taken.map((id) => [id, { creation: 'another client' }]))
  const first: State = { store: { reservation: null, pets }, results: attempts.map(() => []), late: [], mayLose }
  const seen = new Set([JSON.stringify(first)])
  const errorAfter = memoized((store: Store) => errorAtTheEnd(store, carry))
  const open = [first]
  for (let state = open.pop(); state; state = open.pop()) {
    const { store, results } = state
    const progress = await Promise.all(attempts.map((each, i) => results[i] && progressOf(each, results[i])))
    const wrong = errorIn(store, attempts, progress) ?? (await errorAfter(store))
    if (wrong) return { states: seen.size, wrong }
    for (const next of after(state, progress, carry)) {
      const key = JSON.stringify(next)
      if (!seen.has(key)) open.push(next)
      seen.add(key)
    }
  }
  return { states: seen.size, wrong: undefined }
}

/** What must be true in every state. */
const errorIn = (store: Store, attempts: Attempt[], progress: Progress[]): string | undefined => {
  const [first, second] = Object.entries(store.pets).filter(([, { reservation }]) => reservation === RESERVATION)
  if (second) return 'Two pets were created.'
  for (const [i, { name, fingerprint }] of attempts.entries()) {
    const reached = progress[i]
    if (!reached || 'waitsFor' in reached) continue
    const isSame = store.reservation?.fingerprint === fingerprint
    if (reached.status === 422 && isSame) return 'The same body got a 422.'
    if (reached.status === 422) continue
    if (first?.[0] !== `${reached.id}`) return 'A request got a 201 for a pet that is not stored.'
    if (first[1].fingerprint !== fingerprint) return 'A request got a 201 for another body.'
    if (reached.isReplay !== (first[1].creation !== name)) return 'A request is wrong about who created the pet.'
  }
  return undefined
}

/** In every state, one more attempt without any faults must get a 201. What it gets depends only on what is stored. */
const errorAtTheEnd = async (stored: Store, carry: CarryOut): Promise<string | undefined> => {
  const last = { name: 'last', fingerprint: stored.reservation?.fingerprint ?? 'body', draws: [90, 91, 92] }
  const results: unknown[] = []
  for (let store = stored; ; ) {
    const reached = await progressOf(last, results)
    if ('status' in reached) {
      const isStored = 'id' in reached && store.pets[reached.id]?.reservation === RESERVATION
      return isStored ? undefined : 'A last attempt did not get the pet.'
    }
    const carried = carry(store, reached.waitsFor)
    store = carried.store
    results.push(carried.result)
  }
}

/** All states that one event leads to. */
const after = (state: State, progress: Progress[], carry: CarryOut): State[] => {
  const late = state.late.map((call, i) => {
    const { store } = carry(state.store, call)
    return { ...state, store, late: state.late.toSpliced(i, 1) }
  })
  const steps = progress.map((reached, i) =>
    reached && 'waitsFor' in reached ? stepsOf(state, i, reached.waitsFor, carry) : [],
  )
  return [...late, ...steps.flat()]
}

/** What can happen to the request that an attempt waits for. */
const stepsOf = (state: State, i: number, call: Call, carry: CarryOut): State[] => {
  const { result, store } = carry(state.store, call)
  const responded = { ...state, store, results: state.results.with(i, [...(state.results[i] ?? []), result]) }
  const crashed = { ...state, results: state.results.with(i, null) }
  if (call.do === 'read' || call.do === 'readReservation') return [responded, crashed]
  // A write without a response may take effect at any time or never: the attempt has crashed, or the SDK resends it.
  const late = [...state.late, call].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  const resent = state.mayLose > 0 ? [{ ...state, late, mayLose: state.mayLose - 1 }] : []
  return [responded, { ...crashed, late }, ...resent]
}

/** How far an attempt has come: its next request to the database, or its response. */
type Reached = { waitsFor: Call } | { status: 201; id: number; isReplay: boolean } | { status: 422 }
type Progress = Reached | null | undefined // No value: the attempt has crashed.

/** The reservation of the one idempotency key. */
const RESERVATION = 'the intent'

/** Runs the service's code up to the first request that has no result yet. */
const run = ({ name, fingerprint, draws }: Attempt, results: unknown[]): Promise<Reached> =>
  new Promise((resolve, reject) => {
    const [left, fresh] = [[...results], [...draws]]
    // biome-ignore lint/suspicious/noExplicitAny: a result has the type of its request.
    const call = (waitsFor: Call): Promise<any> => {
      if (left.length > 0) return Promise.resolve(left.shift() ?? undefined)
      resolve({ waitsFor })
      return new Promise(() => {})
    }
    const newId = () => {
      const id = fresh.shift()
      if (id === undefined) throw new Error(`${name} needs more ids than it was given.`)
      return id
    }
    const store = {
      reserve: (reservation: Reservation) => call({ do: 'reserve', reservation }),
      read: () => call({ do: 'readReservation' }),
      replace: (from: number, reservation: Reservation) => call({ do: 'replace', reservation, from }),
    }
    const pets = {
      write: (id: number) => call({ do: 'write', id, creation: name, fingerprint }),
      read: (id: number) => call({ do: 'read', id }),
    }
    const origin = { creation: name, reservation: RESERVATION }
    createOnce(origin, reservedIds(store, newId, fingerprint), pets).then(
      ({ id, isReplay }) => resolve({ status: 201, id, isReplay }),
      (error) => (error instanceof ApiError ? resolve({ status: 422 }) : reject(error)),
    )
  })

/** Computes each result once. */
const memoized = <Input extends unknown[], Result>(compute: (...input: Input) => Promise<Result>) => {
  const results = new Map<string, Promise<Result>>()
  return (...input: Input): Promise<Result> => {
    const key = JSON.stringify(input)
    const result = results.get(key) ?? compute(...input)
    results.set(key, result)
    return result
  }
}

const progressOf = memoized(run)

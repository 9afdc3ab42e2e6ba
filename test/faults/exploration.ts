import {
  createOnce,
  type Reservation,
  type reservationStore,
  reservedIds,
} from '../../shared/data/idempotent-create.ts'
import { ApiError } from '../../shared/model/api-error.ts'

// A model of DynamoDB and of requests with one idempotency key. It runs the service's own code, and explores every order of
// events: requests that crash, responses that get lost, writes that take effect late, pets that are deleted, items that
// expire. The clock counts half-days. A request and its late writes end within seconds, so the clock moves at most once
// meanwhile.

/**
 * One request of a client: its name, a digest of its body, and the ids that it draws before ids of its own. Others may have
 * or draw the same ids, but only in the same half-day, because ids contain the time.
 */
export type Attempt = { name: string; fingerprint: string; draws: number[] }

/** The requests, the ids of other pets, and how many responses may get lost. */
export type Scenario = { attempts: Attempt[]; taken: number[]; mayLose: number }

/** A request to the database that may change something. */
export type Write =
  | { do: 'reserve'; reservation: Reservation }
  | { do: 'replace'; reservation: Reservation; from: number }
  | { do: 'write'; id: number; creation: string; fingerprint: string }

type Call = Write | { do: 'readReservation' } | { do: 'read'; id: number }

/** `left`: the half-days until it expires. `made`: how many pets were created in its life. */
type StoredReservation = Reservation & { left: number; made: number }

/** `left`: the half-days until a deleted pet expires. `isGone` if the database has removed it. */
type StoredPet = { creation: string; reservation?: string; fingerprint?: string; left?: number; isGone?: true }

/** What is stored, and the first error. */
type Store = { reservation: StoredReservation | null; pets: Record<number, StoredPet>; wrong?: string | undefined }

/** How the database carries out a request: atomically. Returns the result, and what is stored afterwards. */
type CarryOut = (store: Store, call: Call) => { result: unknown; store: Store }

type ReservationStore = ReturnType<typeof reservationStore>

/** The database, the half-days for which it keeps a deleted pet, and a change of how the service uses reservations. */
export type Model = { carryOut: CarryOut; tombstone: number; change: (store: ReservationStore) => ReservationStore }

/** How long a reservation is valid, in half-days. */
const RESERVATION_LIFE = 2

/** Carries out a request as DynamoDB does, with the conditions of `shared/data`. Reads are strongly consistent. */
export const carryOut: CarryOut = (store, call) => {
  const { reservation, pets } = store
  if (call.do === 'readReservation') {
    return { result: reservation && { id: reservation.id, fingerprint: reservation.fingerprint }, store }
  }
  if (call.do === 'read') {
    const pet = pets[call.id]
    return { result: pet && !pet.isGone ? { creation: pet.creation, reservation: pet.reservation } : null, store }
  }
  return isAllowed(store, call) ? { result: true, store: put(store, call) } : { result: false, store }
}

const isAllowed = ({ reservation, pets }: Store, call: Write): boolean => {
  if (call.do === 'write') return !pets[call.id] || pets[call.id]?.isGone === true
  const valid = validOf(reservation)
  if (call.do === 'reserve') return !valid
  return valid?.id === call.from && valid.fingerprint === call.reservation.fingerprint
}

const validOf = (reservation: StoredReservation | null) => (reservation?.left ? reservation : undefined)

/** What is stored after a write, whatever its condition. */
export const put = ({ reservation, pets }: Store, call: Write): Store => {
  const valid = validOf(reservation)
  if (call.do !== 'write') {
    return { reservation: { ...call.reservation, left: RESERVATION_LIFE, made: valid?.made ?? 0 }, pets }
  }
  const { id, creation, fingerprint } = call
  return {
    reservation: valid ? { ...valid, made: valid.made + 1 } : reservation,
    pets: { ...pets, [id]: { creation, reservation: RESERVATION, fingerprint } },
    wrong: pets[id] ? 'An id got a pet twice.' : errorOfCreation(valid),
  }
}

const errorOfCreation = (valid: StoredReservation | undefined): string | undefined => {
  // The next request would create another pet.
  if (!valid) return 'A pet was created after its reservation.'
  return valid.made > 0 ? 'A reservation created two pets.' : undefined
}

/** An attempt that has not ended: the results that it has received, and its age in half-days; `null` before its start. */
type Running = { attempt: Attempt; results: unknown[]; age: number | null }

/**
 * A state: what is stored, the attempts (`null`: it has ended or crashed), the writes that may still take effect although
 * nobody waits for them, and how many responses may still get lost.
 */
type State = { store: Store; running: (Running | null)[]; late: { call: Write; age: number }[]; mayLose: number }

/** Visits all states of a scenario. Returns their number, and the first error. */
export const explore = async ({ attempts, taken, mayLose }: Scenario, changes: Partial<Model> = {}) => {
  const model: Model = { carryOut, tombstone: 4, change: (store) => store, ...changes }
  const progressOf = memoized((attempt: Attempt, results: unknown[]) => run(attempt, results, model.change))
  const errorAfter = memoized((store: Store) => errorOfOneMore(store, model, progressOf))
  const pets = Object.fromEntries(taken.map((id) => [id, { creation: 'another client' }]))
  const running = attempts.map((attempt) => ({ attempt, results: [], age: null }))
  const first: State = { store: { reservation: null, pets }, running, late: [], mayLose }
  const seen = new Set([JSON.stringify(first)])
  const open = [first]
  for (let state = open.pop(); state; state = open.pop()) {
    const wrong = state.store.wrong ?? (await errorAfter(state.store))
    if (wrong) return { states: seen.size, wrong }
    for (const next of await after(state, model, progressOf)) {
      const key = JSON.stringify(next)
      if (!seen.has(key)) open.push(next)
      seen.add(key)
    }
  }
  return { states: seen.size, wrong: undefined }
}

/** In every state, one more attempt without any faults must get a 201. What it gets depends only on what is stored. */
const errorOfOneMore = async (stored: Store, model: Model, progressOf: ProgressOf): Promise<string | undefined> => {
  const fingerprint = validOf(stored.reservation)?.fingerprint ?? 'body'
  const attempt = { name: 'last', fingerprint, draws: [] }
  let [store, results]: [Store, unknown[]] = [stored, []]
  for (;;) {
    const reached = await progressOf(attempt, results)
    if ('status' in reached && reached.status === 422) return 'A last attempt got a 422.'
    if ('status' in reached) return store.wrong ?? errorIn(store, attempt, reached)
    const carried = model.carryOut(store, reached.waitsFor)
    store = carried.store
    results = [...results, carried.result]
  }
}

/** What is wrong about a response right after the last request to the database. */
const errorIn = ({ reservation, pets }: Store, { name, fingerprint }: Attempt, response: Response) => {
  if (response.status === 422) return reservation?.fingerprint === fingerprint ? 'The same body got a 422.' : undefined
  const pet = pets[response.id]
  if (pet?.reservation !== RESERVATION) return 'A request got a 201 for a pet that is not stored.'
  if (pet.fingerprint !== fingerprint) return 'A request got a 201 for another body.'
  return response.isReplay === (pet.creation === name) ? 'A request is wrong about who created the pet.' : undefined
}

/** All states that one event leads to. */
const after = async (state: State, model: Model, progressOf: ProgressOf): Promise<State[]> => {
  const steps = await Promise.all(
    state.running.map((each, i) => (each ? stepsOf(state, i, each, model, progressOf) : [])),
  )
  const late = state.late.map(({ call }, i) => {
    const { store } = model.carryOut(state.store, call)
    return { ...state, store, late: state.late.toSpliced(i, 1) }
  })
  const deleted = deletions(state.store, model).map((store) => ({ ...state, store }))
  return [...steps.flat(), ...late, ...deleted, halfADayLater(state)]
}

/** What can happen to the request that an attempt waits for. */
const stepsOf = async (state: State, i: number, running: Running, model: Model, progressOf: ProgressOf) => {
  const { attempt, results, age } = { ...running, age: running.age ?? 0 }
  const reached = await progressOf(attempt, results)
  if (!('waitsFor' in reached)) throw new Error('An attempt that has ended is not running.')
  const call = reached.waitsFor
  const { result, store } = model.carryOut(state.store, call)
  const received = { attempt, results: [...results, result], age }
  const end = await progressOf(attempt, received.results)
  const responded: State = { ...state, store, running: state.running.with(i, received) }
  if ('status' in end) {
    responded.store = { ...store, wrong: store.wrong ?? errorIn(store, attempt, end) }
    responded.running = state.running.with(i, null)
  }
  // An attempt that crashes at a read leaves no more than one that never goes on.
  if (call.do === 'read' || call.do === 'readReservation') return [responded]
  // A write without a response may take effect at any time or never: the attempt has crashed, or the SDK resends it.
  const late = [...state.late, { call, age }].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  const crashed = { ...state, late, running: state.running.with(i, null) }
  const resent = { ...state, late, running: state.running.with(i, { ...running, age }), mayLose: state.mayLose - 1 }
  return state.mayLose > 0 ? [responded, crashed, resent] : [responded, crashed]
}

/** What is stored after a pet was deleted, or the database has removed an expired item: at once or much later. */
const deletions = ({ reservation, pets }: Store, { tombstone }: Model): Store[] => {
  const stores = Object.entries(pets).flatMap(([id, { left, ...pet }]) => {
    if (left || pet.isGone || !pet.reservation) return [] // The pets of others stay, or there would be many more states.
    const changed: StoredPet = left === undefined ? { ...pet, left: tombstone } : { ...pet, isGone: true }
    return [{ reservation, pets: { ...pets, [id]: changed } }]
  })
  return reservation?.left === 0 ? [...stores, { reservation: null, pets }] : stores
}

/** Half a day later: requests and late writes that were there half a day ago have ended. */
const halfADayLater = ({ store: { reservation, pets }, running, late, mayLose }: State): State => {
  const age = <T extends { left?: number }>(item: T): T => (item.left ? { ...item, left: item.left - 1 } : item)
  return {
    store: {
      reservation: reservation && age(reservation),
      pets: Object.fromEntries(Object.entries(pets).map(([id, pet]) => [id, age(pet)])),
    },
    running: running.map((each) => {
      if (each?.age === null) return { ...each, attempt: { ...each.attempt, draws: [] } }
      return each?.age === 0 ? { ...each, age: 1 } : null
    }),
    late: late.filter((each) => each.age === 0).map((each) => ({ ...each, age: 1 })),
    mayLose,
  }
}

type Response = { status: 201; id: number; isReplay: boolean } | { status: 422 }

/** Tells how far an attempt comes with these results: its next request to the database, or its response. */
type ProgressOf = (attempt: Attempt, results: unknown[]) => Promise<{ waitsFor: Call } | Response>

/** The reservation of the one idempotency key. */
const RESERVATION = 'the intent'

/** Runs the service's code up to the first request that has no result yet. */
const run = ({ name, fingerprint, draws }: Attempt, results: unknown[], change: Model['change']) =>
  new Promise<{ waitsFor: Call } | Response>((resolve, reject) => {
    const [left, fresh] = [[...results], [...draws]]
    let ownIds = 100 * name.charCodeAt(0)
    // biome-ignore lint/suspicious/noExplicitAny: a result has the type of its request.
    const call = (waitsFor: Call): Promise<any> => {
      if (left.length > 0) return Promise.resolve(left.shift() ?? undefined)
      resolve({ waitsFor })
      return new Promise(() => {})
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
    const ids = reservedIds(change(store), () => fresh.shift() ?? ownIds++, fingerprint)
    createOnce({ creation: name, reservation: RESERVATION }, ids, pets).then(
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

import { createOnce, type Reservation, reservedIds } from '../../shared/data/idempotent-create.ts'
import { ApiError } from '../../shared/model/api-error.ts'
import { explore, type Model, runWith, type State } from './exploration.ts'

// A model of DynamoDB and of requests with one idempotency key. Pets are deleted, and items expire. The clock counts
// half-days. A request and its late writes end within seconds, so the clock moves at most once meanwhile.

/**
 * One request of a client: its name, a digest of its body, and the ids that it draws before ids of its own. Others may have
 * or draw the same ids, but only in the same half-day, because ids contain the time.
 */
export type Attempt = { name: string; fingerprint: string; draws: number[] }

/** A request to the database that may change something. */
export type Write = { isRead?: never } & (
  | { do: 'reserve'; reservation: Reservation }
  | { do: 'replace'; reservation: Reservation; from: number }
  | { do: 'write'; id: number; creation: string; fingerprint: string }
)

type Call = Write | { do: 'readReservation'; isRead: true } | { do: 'read'; id: number; isRead: true }

type Response = { status: 201; id: number; isReplay: boolean } | { status: 422 }

/** `left`: the half-days until it expires. `made`: how many pets were created in its life. */
type StoredReservation = Reservation & { left: number; made: number }

/** `left`: the half-days until a deleted pet expires. `isGone` if the database has removed it. */
type StoredPet = { creation: string; reservation?: string; fingerprint?: string; left?: number; isGone?: true }

type Store = { reservation: StoredReservation | null; pets: Record<number, StoredPet>; wrong?: string | undefined }

type Creations = { store: Store; attempt: Attempt; call: Call; response: Response }

/** How a database carries out requests. */
export type CarryOut = (store: Store, call: Call) => { result: unknown; store: Store }

/** How long a reservation is valid, in half-days. */
const RESERVATION_LIFE = 2

/**
 * How long a deleted pet is kept, in half-days. The service keeps it for 4. That is enough even if each replay extends the
 * reservation, as long as no more requests come than are explored; 3 are not.
 */
const TOMBSTONE_LIFE = 3

/** The reservation of the one idempotency key. */
const RESERVATION = 'the intent'

/** Explores requests, when others have pets with the ids `taken`, and so many responses may get lost. */
export const exploreCreations = (
  { attempts, taken, mayLose }: { attempts: Attempt[]; taken: number[]; mayLose: number },
  database = carryOut,
  tombstone = TOMBSTONE_LIFE,
) => {
  const pets = Object.fromEntries(taken.map((id) => [id, { creation: 'another client' }]))
  const model: Model<Creations> = {
    carryOut: database,
    run,
    end: (store, attempt, response) => ({ ...store, wrong: store.wrong ?? errorIn(store, attempt, response) }),
    last: ({ reservation }) => ({
      attempt: { name: 'last', fingerprint: validOf(reservation)?.fingerprint ?? 'body', draws: [] },
      errorIn: ({ status }) => (status === 422 ? 'A last attempt got a 422.' : undefined),
    }),
    others: (state) => {
      const deleted = deletions(state.store, tombstone).map((store) => ({ ...state, store }))
      return [...deleted, halfADayLater(state)]
    },
  }
  return explore(model, { store: { reservation: null, pets }, attempts, mayLose })
}

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

const errorIn = ({ reservation, pets }: Store, { name, fingerprint }: Attempt, response: Response) => {
  if (response.status === 422) return reservation?.fingerprint === fingerprint ? 'The same body got a 422.' : undefined
  const pet = pets[response.id]
  if (pet?.reservation !== RESERVATION) return 'A request got a 201 for a pet that is not stored.'
  if (pet.fingerprint !== fingerprint) return 'A request got a 201 for another body.'
  return response.isReplay === (pet.creation === name) ? 'A request is wrong about who created the pet.' : undefined
}

/** What is stored after a pet was deleted, or the database has removed an expired item: at once or much later. */
const deletions = ({ reservation, pets }: Store, tombstone: number): Store[] => {
  const stores = Object.entries(pets).flatMap(([id, { left, ...pet }]) => {
    if (left || pet.isGone || !pet.reservation) return [] // The pets of others stay, or there would be many more states.
    const changed: StoredPet = left === undefined ? { ...pet, left: tombstone } : { ...pet, isGone: true }
    return [{ reservation, pets: { ...pets, [id]: changed } }]
  })
  return reservation?.left === 0 ? [...stores, { reservation: null, pets }] : stores
}

/** Half a day later: requests and late writes that were there half a day ago have ended. */
const halfADayLater = ({
  store: { reservation, pets },
  running,
  late,
  mayLose,
}: State<Creations>): State<Creations> => {
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

const run = ({ name, fingerprint, draws }: Attempt, results: unknown[]) =>
  runWith<Creations>(results, async (send) => {
    const fresh = [...draws]
    let ownIds = 100 * name.charCodeAt(0)
    const store = {
      reserve: (reservation: Reservation) => send({ do: 'reserve', reservation }),
      read: () => send({ do: 'readReservation', isRead: true }),
      replace: (from: number, reservation: Reservation) => send({ do: 'replace', reservation, from }),
    }
    const pets = {
      write: (id: number) => send({ do: 'write', id, creation: name, fingerprint }),
      read: (id: number) => send({ do: 'read', id, isRead: true }),
    }
    const ids = reservedIds(store, () => fresh.shift() ?? ownIds++, fingerprint)
    try {
      return { status: 201, ...(await createOnce({ creation: name, reservation: RESERVATION }, ids, pets)) }
    } catch (error) {
      if (error instanceof ApiError) return { status: 422 }
      throw error
    }
  })

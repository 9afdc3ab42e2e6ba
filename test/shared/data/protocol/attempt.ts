import { createOnce, type Reservation, reservedIds } from '../../../../shared/data/idempotent-create.ts'
import { ApiError } from '../../../../shared/model/api-error.ts'

/** One request of a client: the body that it sends, and the ids that it draws if it needs any. */
export type Attempt = { name: string; fingerprint: string; draws: number[] }

/** A call of the database that may change something. */
export type Write =
  | { do: 'reserve'; reservation: Reservation }
  | { do: 'move'; reservation: Reservation; from: number }
  | { do: 'write'; id: number; creation: string; fingerprint: string }

/** A call of the database. */
export type Call = Write | { do: 'readReservation' } | { do: 'read'; id: number }

/** How far an attempt has come: to its next call, or to its end. */
export type Progress = { waitsFor: Call } | { answers: 201; id: number; isReplay: boolean } | { answers: 422 }

/** The one reservation that all attempts are about. */
export const RESERVATION = 'the intent'

const known = new Map<string, Promise<Progress>>()

/** Runs the service's own code up to the first call that `results`, those of the calls before, do not answer. */
export const progressOf = (attempt: Attempt, results: unknown[]): Promise<Progress> => {
  const key = JSON.stringify([attempt, results])
  const progress = known.get(key) ?? run(attempt, results)
  known.set(key, progress)
  return progress
}

const run = ({ name, fingerprint, draws }: Attempt, results: unknown[]): Promise<Progress> =>
  new Promise((resolve, reject) => {
    const [left, fresh] = [[...results], [...draws]]
    // biome-ignore lint/suspicious/noExplicitAny: a result is of the type that its call has.
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
      move: (reservation: Reservation, from: number) => call({ do: 'move', reservation, from }),
    }
    const place = {
      write: (id: number) => call({ do: 'write', id, creation: name, fingerprint }),
      read: (id: number) => call({ do: 'read', id }),
    }
    const origin = { creation: name, reservation: RESERVATION }
    createOnce(origin, reservedIds(store, newId, fingerprint), place).then(
      ({ id, there }) => resolve({ answers: 201, id, isReplay: there !== undefined }),
      (error) => (error instanceof ApiError ? resolve({ answers: 422 }) : reject(error)),
    )
  })

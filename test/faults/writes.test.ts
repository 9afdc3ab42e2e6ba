import { describe, expect, test } from 'vitest'
import { cursorAfter } from '../../shared/model/paging.ts'
import type { Pet } from '../../shared/pets/pet.ts'
import { putItem, type Stored, storedItems } from '../support/database.ts'
import { errorResponse } from '../support/events.ts'
import { newPet, petOf, storedPet } from '../support/pets.ts'
import { casesOf, eventFrom, expectResponses, run, type Way } from './cases.ts'
import { faultKinds } from './fault-kinds.ts'

const [KEY, READ, WRITE] = ['GetItem apiKeys', 'GetItem pets', 'TransactWriteItems pets']
const RESERVATION = 'GetItem idempotencyKeys'
const RESERVE = 'TransactWriteItems idempotencyKeys'
const WRITE_ONCE = 'TransactWriteItems idempotencyKeys pets'

/** A pet that exists before has the number of the case as its id. Each pet has it in its name. */
const nameOf = (number: number) => `Rex ${number}`
const stored = (id: number) => storedPet(id, { name: nameOf(id) })
const exists = (id: number) => putItem('pets', stored(id))

const list: Way['event'] = (apiKey) =>
  eventFrom(apiKey, 'listPets-no-parameters', { query: { cursor: cursorAfter(2) } })
const createWithout: Way['event'] = (apiKey, number) =>
  eventFrom(apiKey, 'createPet-created', { body: JSON.stringify(newPet(nameOf(number))) })
const create: Way['event'] = (apiKey, number) =>
  eventFrom(apiKey, 'createPet-created', {
    body: JSON.stringify(newPet(nameOf(number))),
    headers: { 'Idempotency-Key': `rex-${number}` },
  })
type Headers = { revision?: string; isKeyed?: boolean }
/** Requests for the pet of the case, with `If-Match` if there is a revision. */
const requestFor =
  (event: string, { revision, isKeyed }: Headers): Way['event'] =>
  (apiKey, id) => {
    const headers = {
      ...(revision && { 'If-Match': `"${id}-${revision}"` }),
      ...(isKeyed && { 'Idempotency-Key': `${event}-${id}` }),
    }
    return eventFrom(apiKey, event, { id: `${id}`, headers })
  }
const change = (headers: Headers = {}) => requestFor('updatePet-changed', headers)
const remove = (headers: Headers = {}) => requestFor('deletePet-deleted', headers)

/** Another request adds a pet with the same id. */
const isTaken: Way['meanwhile'] = (id) => putItem('pets', storedPet(id, { name: 'Another' }))
const note = 'Made by a later version.'
const isChanged: Way['meanwhile'] = (id) => putItem('pets', { ...stored(id), note, revision: 'y' })

/** A way, and what it changes in a pet that exists afterwards; without, there is no pet. */
type WriteWay = Way & { leaves?: Partial<Pet> }

const added = { event: create, served: '201 replay', retried: ['201 replay', 'replay replay'] }
const sold = { status: 'sold' } as const
const changed = { exists, served: '200', retried: ['200'], leaves: sold }
const ways: Record<string, WriteWay> = {
  'a list': { calls: [KEY, 'Query pets'], event: list, served: '200', retried: ['200'] },
  'a create with a key': { ...added, calls: [KEY, RESERVATION, WRITE_ONCE], leaves: {} },
  'a create with a key, when the id is in use': {
    ...added,
    calls: [KEY, RESERVATION, WRITE_ONCE, RESERVATION, WRITE_ONCE],
    meanwhile: isTaken,
    leaves: {},
  },
  'a create without a key': {
    calls: [KEY, WRITE],
    event: createWithout,
    served: '201',
    retried: [''],
    leaves: {},
  },
  'a change, after another one': {
    ...changed,
    calls: [KEY, READ, WRITE, READ, WRITE],
    meanwhile: isChanged,
    event: change(),
  },
  // A change or a delete that gets a 503 may have taken effect.
  'a change of a revision': {
    ...changed,
    calls: [KEY, READ, WRITE],
    event: change({ revision: 'x' }),
    retried: ['200', '412'],
  },
  'a change of a revision, after another change': {
    exists,
    calls: [KEY, READ, WRITE, READ],
    meanwhile: isChanged,
    event: change({ revision: 'x' }),
    served: '412',
    retried: ['412'],
    leaves: {},
  },
  'a delete of a revision': {
    exists,
    calls: [KEY, READ, WRITE],
    event: remove({ revision: 'x' }),
    served: '204',
    retried: ['204', '404'],
  },
  'a change of a revision with a key, after another change': {
    exists,
    calls: [KEY, RESERVATION, READ, WRITE_ONCE, RESERVATION, READ, RESERVE],
    meanwhile: isChanged,
    event: change({ revision: 'x', isKeyed: true }),
    served: '412 replay',
    retried: ['412 replay', 'replay replay'],
    leaves: {},
  },
  'a delete of nothing with a key': {
    calls: [KEY, RESERVATION, READ, RESERVE],
    event: remove({ isKeyed: true }),
    served: '404 replay',
    retried: ['404 replay', 'replay replay'],
  },
  'a delete of nothing': { calls: [KEY, READ], event: remove(), served: '404', retried: ['404'] },
}

describe.concurrent('what is written is written once, or the response is a 503', () => {
  test.each(Object.entries(faultKinds))('%s', async (title, kind) => {
    const outcomes = await Promise.all(casesOf(ways, title, kind).map(run))

    const all = await storedItems()
    for (const outcome of outcomes) expectStored(outcome, all)
  })
})

type Outcome = Awaited<ReturnType<typeof run<WriteWay>>>

/** Expects that what is stored is as the responses say, and that each response is complete. */
const expectStored = (outcome: Outcome, all: Stored[]) => {
  const { each, number, responses } = outcome
  const { title, way } = each
  const [item, ...others] = all.filter(({ name }) => name === nameOf(number))
  expect(others, title).toEqual([])
  if (!way.leaves) expect(item, title).toBeUndefined()
  // A request that gets no response but a 503 may have taken effect, or not.
  else if (responses !== '503') expect(item, title).toBeDefined()

  const id = Number(item?.id ?? number)
  const fields = { name: nameOf(number), ...way.leaves }
  const kept = way.meanwhile === isChanged && { note }
  if (item)
    expect(item, title).toEqual({ ...storedPet(id, fields), ...kept, revision: item.revision })
  expectResponses(
    outcome,
    { path: '/pets', body: petOf(id, fields), revision: item?.revision },
    {
      ...(way.event === list && { 200: { body: [] } }),
      404: errorResponse(404, 'not_found', `No pet has the id ${number}.`),
      412: errorResponse(412, 'precondition_failed', expect.stringContaining('current ETag')),
    },
  )
}

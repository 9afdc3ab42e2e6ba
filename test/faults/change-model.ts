import { changeOnce, expectedBy, type Revision, tagOf } from '../../shared/data/conditional-change.ts'
import type { Condition } from '../../shared/data/dynamodb.ts'
import { ApiError } from '../../shared/model/api-error.ts'
import type { IfMatch } from '../../shared/model/etag.ts'
import { explore, type Model, runWith } from './exploration.ts'

// A model of DynamoDB and of requests that change or delete one pet.

/** One request of a client, and the token of its change. */
export type Attempt = { token: string; ifMatch?: IfMatch; deletes?: true }

/** What is stored of the pet: its revision, or the token of its deletion. */
type Item = Revision & { shard?: number; deletion?: string }

/** The pet, the tags of its revisions since the start, and the statuses of the attempts that have ended. */
type Store = { item: Item; revisions: string[]; statuses: Record<string, number>; wrong?: string | undefined }

type Write = { attempt: Attempt; condition: Condition; isRead?: never }
type Call = Write | { isRead: true }

/** `token` is that of the last change in the response. */
type Response = { status: number; token?: string | undefined }

type Changes = { store: Store; attempt: Attempt; call: Call; response: Response }

/** How a database carries out requests. */
export type CarryOut = Model<Changes>['carryOut']

/** The tag of a pet that was never changed. */
export const ID = '1'

/** Explores requests, when so many responses may get lost. */
export const exploreChanges = (
  { attempts, mayLose }: { attempts: Attempt[]; mayLose: number },
  database = carryOut,
) => {
  const model: Model<Changes> = {
    carryOut: database,
    run,
    end,
    last: ({ item }) => ({
      attempt: { token: 'f'.repeat(32), ifMatch: [tagOf(Number(ID), item)] },
      errorIn: ({ status }) => (status === (item.deletion ? 404 : 200) ? undefined : `A last attempt got a ${status}.`),
    }),
    // A late write may also never take effect.
    others: (state) => state.late.map((_, i) => ({ ...state, late: state.late.toSpliced(i, 1) })),
  }
  return explore(model, { store: { item: { shard: 0 }, revisions: [ID], statuses: {} }, attempts, mayLose })
}

/** Carries out a request as DynamoDB does. Reads are strongly consistent. */
export const carryOut: CarryOut = (store, call, sent) => {
  if (call.isRead) return { result: store.item, store }
  return isTrue(call.condition, store.item) ? write(store, call) : { result: { attempts: sent }, store }
}

const isTrue = ({ text, values }: Condition, item: Item): boolean => {
  if (item.shard === undefined) return !text.includes('attribute_exists(#shard)')
  const alternatives = text.split(' OR ').map((each) => [...each.matchAll(/#(revision|changes)(?: = (:\w+))?/g)])
  // Without a value, the attribute must not exist.
  return alternatives.some((each) => each.every(([, name = '', value = '']) => Object(item)[name] === values[value]))
}

/** Carries out a write, whatever its condition. */
export const write = (store: Store, { attempt }: Write) => {
  const { token, deletes } = attempt
  const changes = (store.item.changes ?? 0) + 1
  const item = deletes ? { changes, deletion: token } : { changes, shard: 0, revision: token }
  const wrong = store.wrong ?? errorOfWrite(store, attempt)
  return { result: { item }, store: { ...store, item, revisions: [...store.revisions, `${token}-${changes}`], wrong } }
}

const errorOfWrite = ({ item, revisions, statuses }: Store, { token, ifMatch }: Attempt): string | undefined => {
  if (item.deletion) return 'A deleted pet was changed.'
  if ([404, 412].includes(statuses[token] ?? 0)) return 'A refused change took effect.'
  // Who names a revision knows of no change after it.
  const isBased = !Array.isArray(ifMatch) || ifMatch.some((tag) => revisions.indexOf(tag) === revisions.length - 1)
  return isBased ? undefined : 'A change undid another one.'
}

const end = (store: Store, { token }: Attempt, response: Response): Store => ({
  ...store,
  statuses: { ...store.statuses, [token]: response.status },
  wrong: store.wrong ?? errorIn(store, token, response),
})

/** What is wrong about a response right after the last request to the database. */
const errorIn = ({ item, revisions }: Store, token: string, response: Response): string | undefined => {
  const tookEffect = revisions.some((tag) => tag.startsWith(token))
  if (response.status < 400)
    return response.token === token && tookEffect ? undefined : 'A request got a success that is not its own.'
  if (response.status === 412 && tookEffect) return 'A refused change took effect.'
  return Object.values(item).includes(token) ? 'A request did not find its own change.' : undefined
}

const run = ({ ...attempt }: Attempt, results: unknown[]) =>
  runWith<Changes>(results, async (send) => {
    const { token, ifMatch, deletes } = attempt
    const store = {
      write: (condition: Condition) => send({ attempt, condition }),
      read: (): Promise<Item> => send({ isRead: true }),
    }
    try {
      const item = await changeOnce<Item>(token, expectedBy(ifMatch, Number(ID)), store)
      return item ? { status: deletes ? 204 : 200, token: item.deletion ?? item.revision } : { status: 404 }
    } catch (error) {
      if (error instanceof ApiError) return { status: error.status }
      throw error
    }
  })

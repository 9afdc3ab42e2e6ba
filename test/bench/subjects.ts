import { isDeepStrictEqual } from 'node:util'
import { CommandError } from '../../infra/command-line.ts'
import type { OperationId } from '../../shared/contract.ts'
import type { Event, Result } from '../../shared/http.ts'
import { settings } from '../../shared/settings.ts'
import type { Bundles } from '../support/bundles.ts'
import { eventOf } from '../support/events.ts'
import type { Bundled } from './bundle.ts'
import { PET, tableNames } from './dynamodb.ts'

/** An event, as JSON, and whether a response to it is right. */
export type Call = { event: string; isRight: (result: Result) => boolean }

/** A measured function: Lambda loads `handler`, a file and its export, from `folder`. */
export type Subject = {
  name: string
  folder: string
  handler: string
  environment: Record<string, string>
  /** What it is measured with. */
  call: Call
  /** What it must also do, which proves that it does the same work as the others. */
  alsoCall: Call[]
}

/** What each table measures. */
export type Subjects = { cold: Subject[]; warm: Subject[]; dynamodb: Subject[] }

/**
 * Returns the subjects of each table: the functions of the service beside the peers. An operation that DynamoDB's fixed
 * responses (dynamodb.ts) do not cover is left out.
 */
export const subjectsOf = (bundles: Bundles, peers: Bundled[]): Subjects => {
  const functionOf = (id: OperationId, call: Call, name: string = id): Subject => ({
    name,
    folder: bundles.folderOf(id),
    handler: bundles.handlerOf(id),
    environment: {
      ...bundles.environmentOf(id),
      ...tableNames,
      [settings.keyPrefix.variable]: settings.keyPrefix.local,
    },
    call,
    alsoCall: call === read ? [readUnauthorized] : [],
  })
  const createPet = functionOf('createPet', create)
  const createOnce = functionOf('createPet', createKeyed, 'createPet, Idempotency-Key')
  const one = functionOf('listPets', read, ONE)
  const changes = [functionOf('updatePet', update), functionOf('deletePet', remove)]
  const functions = [functionOf('listPets', listAll), createPet, one]
  const listOne = functionOf('listPets', listOneStatus, 'listPets, one status')
  const lists = [listOne, functionOf('listPets', listAll, 'listPets, all')]
  const others = peers.map(peerOf)
  return {
    cold: [...functions, ...functions.map(withoutFirstRead), ...others],
    warm: [one, ...lists, createPet, ...others],
    dynamodb: [one, ...lists, createPet, createOnce, ...changes],
  }
}

type Outcome = { error?: string; result?: Result }

/** Throws a CommandError for an error or a wrong response: a failure may be fast. */
export const checkResult = ({ name }: Subject, call: Call, { error, result }: Outcome): void => {
  if (error !== undefined || !result) throw new CommandError(`${name} failed: ${error}`)
  if (!call.isRight(result)) throw new CommandError(`${name} gave a wrong response: ${JSON.stringify(result)}`)
}

const callOf = (event: Event, status: number, isRightBody: (body: unknown) => boolean = () => true): Call => ({
  event: JSON.stringify(event),
  isRight: ({ statusCode, body }) => statusCode === status && isRightBody(body && JSON.parse(body)),
})

const isPage = (body: unknown): boolean => Array.isArray(body) && body.length === 20
const isNewPet = (body: unknown): boolean => Object(body).name === PET.name

const listAll = callOf(eventOf('listPets-no-parameters'), 200, isPage)
const listOneStatus = callOf(eventOf('listPets-no-parameters', { query: { status: 'available' } }), 200, isPage)
const create = callOf(eventOf('createPet-created'), 201, isNewPet)
// The key is always new to a DynamoDB in which every conditional put succeeds.
const createKeyed = callOf(eventOf('createPet-created', { headers: { 'Idempotency-Key': '8e03978e' } }), 201, isNewPet)
const ofOne = { query: { status: 'available', limit: '1' } }
const read = callOf(eventOf('listPets-no-parameters', ofOne), 200, (body) => isDeepStrictEqual(body, [PET]))
const update = callOf(eventOf('updatePet-changed'), 200, isNewPet)
const remove = callOf(eventOf('deletePet-deleted'), 204)
const readUnauthorized = callOf(
  eventOf('listPets-no-parameters', { ...ofOne, headers: { Authorization: undefined } }),
  401,
)

/** The same function without its read during Lambda's init phase: what is left is its code alone, as with the peers. */
const withoutFirstRead = (subject: Subject): Subject => ({
  ...subject,
  name: `${subject.name}, no first read`,
  environment: { ...subject.environment, AWS_LAMBDA_INITIALIZATION_TYPE: '' },
})

/** The row of what the peers do too: a list of one pet with a status. */
export const ONE = 'listPets, 1 pet'

const peerOf = ({ name, folder }: Bundled): Subject => ({
  name,
  folder,
  handler: 'index.handler',
  environment: {
    ...tableNames,
    POWERTOOLS_LOG_LEVEL: 'WARN',
    POWERTOOLS_METRICS_NAMESPACE: 'PetStore',
    POWERTOOLS_SERVICE_NAME: 'pet-store',
  },
  call: read,
  alsoCall: [readUnauthorized],
})

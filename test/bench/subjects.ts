import { isDeepStrictEqual } from 'node:util'
import { CommandError } from '../../infra/commands/command-line.ts'
import type { OperationId } from '../../shared/contract.ts'
import { tableIds, tableVariable } from '../../shared/data/tables.ts'
import type { Event, Result } from '../../shared/http.ts'
import { settings } from '../../shared/settings.ts'
import type { Bundles } from '../support/bundles.ts'
import { eventOf } from '../support/events.ts'
import { PET } from './dynamodb.ts'
import type { Bundled } from './peers.ts'

/** A measured function: Lambda loads `handler`, a file and its export, from `folder`. */
export type Subject = {
  name: string
  folder: string
  handler: string
  environment: Record<string, string>
  /** What it is called with. */
  event: Event
  /** The number of pets in a right response. */
  pets: number
}

/** What each table measures. */
export type Subjects = { cold: Subject[]; warm: Subject[] }

/** The row of what the peers do too: a list of one pet with a status. */
export const ONE = 'listPets, 1 pet'

const NAMES_OF_TABLES = Object.fromEntries(tableIds.map((id) => [tableVariable(id), id]))

const listEvent = (query: Record<string, string>): Event => eventOf('listPets-no-parameters', { query })
const onePet = { event: listEvent({ status: PET.status, limit: '1' }), pets: 1 }

/** Returns the subjects of each table: the functions of the service beside the peers. */
export const subjectsOf = (bundles: Bundles, peers: Bundled[]): Subjects => {
  const functionOf = (id: OperationId, call: Pick<Subject, 'event' | 'pets'>, name: string = id): Subject => {
    const prefix = { [settings.keyPrefix.variable]: settings.keyPrefix.local }
    const environment = { ...bundles.environmentOf(id), ...NAMES_OF_TABLES, ...prefix }
    return { name, folder: bundles.folderOf(id), handler: bundles.handlerOf(id), environment, ...call }
  }
  const all = { event: listEvent({}), pets: 20 }
  const one = functionOf('listPets', onePet, ONE)
  const createPet = functionOf('createPet', { event: eventOf('createPet-created'), pets: 1 })
  const functions = [functionOf('listPets', all), createPet, one]
  const lists = [
    functionOf('listPets', { event: listEvent({ status: PET.status }), pets: 20 }, 'listPets, one status'),
    functionOf('listPets', all, 'listPets, all'),
  ]
  const others = peers.map(peerOf)
  return {
    cold: [...functions, ...functions.map(withoutFirstRead), ...others],
    warm: [one, ...lists, createPet, ...others],
  }
}

/** The same function without its read during Lambda's init phase: what is left is its code alone, as with the peers. */
const withoutFirstRead = (subject: Subject): Subject => ({
  ...subject,
  name: `${subject.name}, no first read`,
  environment: { ...subject.environment, AWS_LAMBDA_INITIALIZATION_TYPE: '' },
})

const peerOf = (peer: Bundled): Subject => {
  const powertools = {
    POWERTOOLS_LOG_LEVEL: 'WARN',
    POWERTOOLS_METRICS_NAMESPACE: 'PetStore',
    POWERTOOLS_SERVICE_NAME: 'pet-store',
  }
  return { ...peer, handler: 'index.handler', environment: { ...NAMES_OF_TABLES, ...powertools }, ...onePet }
}

/** Throws a CommandError for an error or a wrong response: a failure may be fast. */
export const checkResult = ({ name, pets }: Subject, { error, result }: { error?: string; result?: Result }): void => {
  if (error !== undefined || !result) throw new CommandError(`${name} failed: ${error}`)
  const found = result.statusCode < 300 ? [JSON.parse(result.body)].flat() : []
  if (found.length !== pets || !found.every(({ id, ...pet }) => Number.isInteger(id) && isDeepStrictEqual(pet, PET)))
    throw new CommandError(`${name} gave a wrong response: ${JSON.stringify(result)}`)
}

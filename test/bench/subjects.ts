import { isDeepStrictEqual } from 'node:util'
import { CommandError } from '../../infra/command-line.ts'
import type { OperationId } from '../../shared/contract.ts'
import { tableIds, tableVariable } from '../../shared/data/tables.ts'
import type { ProxyEvent, ProxyResult } from '../../shared/pipeline/gateway-event.ts'
import { service } from '../../shared/service.ts'
import { settings } from '../../shared/settings.ts'
import type { Bundles } from '../support/bundles.ts'
import { eventOf } from '../support/events.ts'
import { newPet } from '../support/pets.ts'
import type { Bundled } from './peers.ts'

/** A measured function: Lambda loads `handler`, a file and its export, from `folder`. */
export type Subject = Call & {
  name: string
  folder: string
  handler: string
  environment: Record<string, string>
}

/** What a function is called with, and the fields that the item of a correct response has. */
type Call = { event: ProxyEvent; fields: object }

const tables = Object.fromEntries(tableIds.map((id) => [tableVariable(id), id]))

/** The functions of the service with each DynamoDB client, as they are bundled. */
type Services = { lean: Bundles; sdk: Bundles }

/** The functions of the service beside the peers, which do the work of the list of one. */
export const subjectsOf = ({ lean, sdk }: Services, peers: Bundled[]): Subject[] => {
  const functionOf = (id: OperationId, name: string, call: Call, bundles = lean): Subject => {
    const prefix = { [settings.keyPrefix]: 'local' }
    const environment = { ...bundles.environmentOf(id), ...tables, ...prefix }
    return {
      name,
      folder: bundles.folderOf(id),
      handler: bundles.handlerOf(id),
      environment,
      ...call,
    }
  }
  const query = { status: 'available', limit: '1' }
  const one = { event: eventOf('listPets-no-parameters', { query }), fields: newPet() }
  const headers = { 'Idempotency-Key': 'a' }
  const keyed = { event: eventOf('createPet-created', { headers }), fields: newPet() }
  return [
    functionOf('listPets', 'listPets, one pet', one),
    functionOf('listPets', 'listPets, one pet, AWS SDK', one, sdk),
    functionOf('createPet', 'createPet, key', keyed),
    ...peers.map((peer) => ({ ...peer, handler: 'index.handler', environment: ofPeers, ...one })),
  ]
}

const ofPeers = {
  ...tables,
  POWERTOOLS_LOG_LEVEL: 'WARN',
  POWERTOOLS_METRICS_NAMESPACE: service.stack,
  POWERTOOLS_SERVICE_NAME: service.name,
}

/** Throws a CommandError for an error or a wrong response: a failure may be fast. */
export const checkResult = (
  { name, fields }: Subject,
  { error, result }: { error?: string; result?: ProxyResult },
): void => {
  if (error !== undefined || !result) throw new CommandError(`${name} failed: ${error}`)
  const found = result.statusCode < 300 ? [JSON.parse(result.body)].flat() : []
  const [item] = found
  if (found.length !== 1 || !isDeepStrictEqual(item, { ...item, ...fields }))
    throw new CommandError(`${name} gave a wrong response: ${JSON.stringify(result)}`)
}

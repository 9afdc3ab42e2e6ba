import { tables } from '../dynamodb/tables.ts'
import { bundlePeers } from '../peers/bundle-peers.ts'
import { read, readNothing, readUnauthorized, readUnknown } from './calls.ts'
import type { Subject } from './subject.ts'

const environment = {
  ...tables,
  POWERTOOLS_LOG_LEVEL: 'WARN',
  POWERTOOLS_METRICS_NAMESPACE: 'PetStore',
  POWERTOOLS_SERVICE_NAME: 'pet-store',
}

/** What they are measured beside: a handler that does nothing, and others that do the same `getPet` with a key check. */
export const peers = async (folder: string): Promise<Subject[]> =>
  (await bundlePeers(folder)).map((bundle) => ({
    ...bundle,
    handler: 'index.handler',
    environment,
    ...(bundle.name === 'empty handler' ? doesNothing : readsPets),
  }))

const doesNothing = { call: readNothing, alsoRight: [] }
const readsPets = { call: read, alsoRight: [readUnauthorized, readUnknown] }

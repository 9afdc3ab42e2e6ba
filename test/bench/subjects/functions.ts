import type { OperationId } from '../../../shared/contract.ts'
import { settings } from '../../../shared/data/tables.ts'
import type { Bundles } from '../../support/bundles.ts'
import { tables } from '../dynamodb/tables.ts'
import { create, listAll, read, readUnauthorized, readUnknown } from './calls.ts'
import type { Call, Subject } from './subject.ts'

/** Our functions as they are deployed: those that there is a fixed answer for. An operation that is new need not be among them. */
export const functions = (bundles: Bundles) => ({
  listPets: subject(bundles, 'listPets', listAll),
  createPet: subject(bundles, 'createPet', create),
  getPet: subject(bundles, 'getPet', read, [readUnauthorized, readUnknown]),
})

const subject = (bundles: Bundles, name: OperationId, call: Call, alsoRight: Call[] = []): Subject => ({
  name,
  folder: bundles.folderOf(name),
  handler: bundles.handlerOf(name),
  environment: { ...bundles.environmentOf(name), ...tables, [settings.keyPrefix]: 'local' },
  call,
  alsoRight,
})

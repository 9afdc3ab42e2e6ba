import { AsyncLocalStorage } from 'node:async_hooks'
import { entries, type OperationId } from '../../../shared/contract.ts'
import { dynamodb } from '../../../shared/data/dynamodb.ts'
import { type Permission, tableIds, tableName } from '../../../shared/data/tables.ts'
import { tableActions } from '../../platform/functions.ts'

const running = new AsyncLocalStorage<OperationId>()

/**
 * Runs an operation with its rights: commands that its entry does not allow are refused, as AWS
 * would. Other code has all rights. An operation could bypass this with a client of its own.
 */
export const runWithRights = <T>(id: OperationId, run: () => T): T => running.run(id, run)

// This replaces the `send` of the client in shared/data, because functions must not carry the
// check. (Casts, because the SDK's client and the lean one, which tests use, have other types.)
const send: (command: never, options?: object) => Promise<unknown> = dynamodb.send.bind(dynamodb)
const sendWithRights = async (command: SentCommand, options?: object): Promise<unknown> => {
  const id = running.getStore()
  if (id) for (const [action, place] of neededActions(command)) checkRight(id, action, place)
  return send(command as never, options)
}
Object.assign(dynamodb, { send: sendWithRights })

/** A command of the SDK's document client, or of the lean client. */
type SentCommand = ({ clientCommand: object } | { action: string }) & {
  input: Place & { TransactItems?: Record<string, Place>[] }
}

type Place = { TableName: string; IndexName?: string }

/** The actions of IAM that a command needs, and where it needs them. */
const neededActions = (command: SentCommand): [action: string, Place][] => {
  const { TransactItems, ...place } = command.input
  // Each item of a transaction needs an action: `Put` needs PutItem.
  if (TransactItems)
    return TransactItems.flatMap(Object.entries).map(([kind, item]) => [`${kind}Item`, item])
  if ('action' in command) return [[command.action, place]]
  return [[command.clientCommand.constructor.name.replace(/Command$/, ''), place]]
}

/** Throws an error without `$metadata`, so that the response is a 500. */
const checkRight = (id: OperationId, action: string, { TableName, IndexName }: Place): void => {
  const right = RIGHTS[action]
  if (!right) throw new AccessDenied(`${id} may not use ${action}: no entry can get this right.`)
  const table = tableIds.find((each) => tableName(each) === TableName) ?? TableName
  const isAllowed = tableActions(entries[id]).some(
    (each) => each.table === table && each.index === IndexName && each.actions.includes(action),
  )
  if (isAllowed) return
  const place = `${IndexName ? `index ${IndexName} of the ` : ''}table ${table}`
  throw new AccessDenied(
    `${id} may not use ${action} on the ${place}. ` +
      `Add ${table}: '${right}' to "access" in its entry in shared/contract.ts.`,
  )
}

const RIGHTS: Record<string, Permission> = {
  Query: 'list',
  GetItem: 'read',
  ConditionCheckItem: 'read',
  PutItem: 'create',
  DeleteItem: 'remove',
}

class AccessDenied extends Error {
  override name = 'AccessDenied'
}

import { AsyncLocalStorage } from 'node:async_hooks'
import { entries, type OperationId } from '../../shared/contract.ts'
import { dynamodb } from '../../shared/data/dynamodb.ts'
import { type Permission, tableIds, tableName } from '../../shared/data/tables.ts'
import { tableActions } from '../platform/functions.ts'

const running = new AsyncLocalStorage<OperationId>()

/**
 * Runs an operation with its permissions: the client in shared/data refuses, as AWS would, commands
 * that the operation's entry does not allow. Code outside operations may do everything. (An
 * operation could bypass this with a client of its own.)
 */
export const runWithPermissions = <T>(id: OperationId, run: () => T): T => running.run(id, run)

// Replacing `send` keeps the check out of the code that AWS runs. (Casts, because commands have
// many types.)
const send: (command: never, options?: object) => Promise<unknown> = dynamodb.send.bind(dynamodb)
const checkAndSend = async (command: Command, options?: object): Promise<unknown> => {
  const id = running.getStore()
  if (id) for (const [kind, place] of actionsOf(command)) checkPermission(id, kind, place)
  return send(command as never, options)
}
Object.assign(dynamodb, { send: checkAndSend })

/** A command of the SDK's document client, such as a `GetCommand`. */
type Command = { input: TableOrIndex & { TransactItems?: Record<string, TableOrIndex>[] } }

type TableOrIndex = { TableName: string; IndexName?: string }

/** What a command does, such as `Get`, and to what. A transaction does several things. */
const actionsOf = (command: Command): [kind: string, TableOrIndex][] => {
  const { TransactItems, ...place } = command.input
  if (TransactItems) return TransactItems.flatMap(Object.entries)
  return [[command.constructor.name.replace(/Command$/, ''), place]]
}

/** The permission that includes each kind of command. */
const NEEDS: Record<string, Permission> = {
  Query: 'list',
  Get: 'read',
  ConditionCheck: 'read',
  Put: 'create',
  Delete: 'remove',
}

/** Throws an error without `$metadata`, so that the response is a 500. */
const checkPermission = (
  id: OperationId,
  kind: string,
  { TableName, IndexName: index }: TableOrIndex,
): void => {
  const permission = NEEDS[kind]
  if (!permission) throw new AccessDenied(`${id} may not use ${kind}: no entry can allow it.`)
  const action = kind === 'Query' ? kind : `${kind}Item` // As IAM names it.
  const table = tableIds.find((each) => tableName(each) === TableName) ?? TableName
  const isAllowed = tableActions(entries[id]).some(
    (each) => each.table === table && each.index === index && each.actions.includes(action),
  )
  if (isAllowed) return
  throw new AccessDenied(
    `${id} may not use ${action} on the ${index ? `index ${index} of the ` : ''}table ${table}. ` +
      `Add ${table}: '${permission}' to "access" in its entry in shared/contract.ts.`,
  )
}

class AccessDenied extends Error {
  override name = 'AccessDenied'
}

import { AsyncLocalStorage } from 'node:async_hooks'
import { entries, type OperationId } from '../../../shared/contract.ts'
import { dynamodb } from '../../../shared/data/dynamodb.ts'
import { type Right, tableIds, tableName } from '../../../shared/data/tables.ts'
import { tableActions } from '../../platform/functions.ts'

const running = new AsyncLocalStorage<OperationId>()

/**
 * Runs an operation with its rights: its commands that its entry does not grant are refused, as AWS
 * would. Other code has all rights. An operation could bypass this with a client of its own.
 */
export const runWithRights = <T>(id: OperationId, run: () => T): T => running.run(id, run)

// The client of shared/data, to whose `send` this adds the check: functions must not carry it.
const send: (command: never, options?: object) => Promise<unknown> = dynamodb.send.bind(dynamodb)
const sendWithRights = async (command: SentCommand, options?: object): Promise<unknown> => {
  const id = running.getStore()
  if (id) checkRights(id, operationName(command), command.input)
  // A cast, because each of the two clients has its own type.
  return send(command as never, options)
}
Object.assign(dynamodb, { send: sendWithRights })

/** A command of the SDK's document client, or of the lean client, with which the tests run. */
type SentCommand = { input: CommandInput } & ({ clientCommand: object } | { action: string })

type CommandInput = {
  TableName: string
  IndexName?: string
  TransactItems?: Record<string, { TableName: string; IndexName?: undefined }>[]
}

/** The name of a command in the DynamoDB API reference. */
const operationName = (command: SentCommand): string =>
  'action' in command
    ? command.action
    : command.clientCommand.constructor.name.replace(/Command$/, '')

/** Throws an error without `$metadata`, so that the response is a 500. */
const checkRights = (id: OperationId, operation: string, input: CommandInput): void => {
  const { TransactItems = [] } = input
  const isTransaction = operation.startsWith('Transact')
  // Each item of a transaction needs a right: `Put` needs PutItem.
  const required = isTransaction
    ? TransactItems.flatMap(Object.entries).map(([kind, item]) => [`${kind}Item`, item] as const)
    : [[operation, input] as const]
  const granted = tableActions(entries[id])
  for (const [action, { TableName, IndexName: index }] of required) {
    const word = WORDS[action]
    if (!word) throw new AccessDenied(`${id} may not use ${action}: no entry can get this right.`)
    const table = tableIds.find((id) => tableName(id) === TableName) ?? TableName
    const own = granted.filter((each) => each.table === table && each.index === index)
    if (own.some(({ actions }) => actions.includes(action))) continue
    const place = `${index ? `index ${index} of the ` : ''}table ${table}`
    throw new AccessDenied(
      `${id} may not use ${action} on the ${place}. ` +
        `Add ${table}: '${word}' to "access" in its entry in shared/contract.ts.`,
    )
  }
}

const WORDS: Record<string, Right> = {
  Query: 'list',
  GetItem: 'read',
  ConditionCheckItem: 'read',
  PutItem: 'create',
  DeleteItem: 'remove',
}

class AccessDenied extends Error {
  override name = 'AccessDenied'
}

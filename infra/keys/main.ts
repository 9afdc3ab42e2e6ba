import { fail } from '../command-line.ts'
import { confirm, issue, keyOf, rotate } from './actions.ts'
import { type Command, help, readCommand } from './command.ts'
import { findDeployment } from './deployment.ts'
import { KeyTable } from './key-table.ts'
import { issued, listed, type Report, revoked, rotated } from './report.ts'

/** The command `npm run keys`. */
const main = async (): Promise<void> => {
  const command = readCommand(process.argv.slice(2))
  if (command.action === 'help') return void process.stdout.write(help)
  const table = new KeyTable(await findDeployment(command.target))
  const { text, json, failure } = await carryOut(table, command)
  process.stdout.write(`${command.json ? JSON.stringify(json, undefined, 2) : text}\n`)
  if (failure) throw failure
}

const carryOut = async (table: KeyTable, command: Exclude<Command, { action: 'help' }>): Promise<Report> => {
  switch (command.action) {
    case 'issue':
      return issued(await issue(table, command))
    case 'list':
      return listed(await table.all())
    case 'rotate':
      return rotated(await rotate(table, command))
    case 'revoke': {
      const key = await keyOf(table, command.keyId)
      if (!command.yes) await confirm(`Revoke ${key.keyId}, the key of ${key.clientId} (${key.name})?`)
      await table.remove(key)
      return revoked(key)
    }
  }
}

main().catch(fail)

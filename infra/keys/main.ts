import { fail } from '../command-line.ts'
import { carryOut } from './actions.ts'
import { help, readCommand } from './command.ts'
import { findDeployment } from './deployment.ts'
import { KeyTable } from './key-table.ts'

/** The command `npm run keys`. */
const main = async (): Promise<void> => {
  const command = readCommand(process.argv.slice(2))
  if (command.action === 'help') return void process.stdout.write(help)
  const table = new KeyTable(await findDeployment(command.target))
  const { text, json, failure } = await carryOut(table, command)
  process.stdout.write(`${command.json ? JSON.stringify(json, undefined, 2) : text}\n`)
  if (failure) throw failure
}

main().catch(fail)

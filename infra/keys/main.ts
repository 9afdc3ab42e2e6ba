import { CommandError, fail } from '../command-line.ts'
import { carryOut, revokeIt } from './actions.ts'
import { help, readCommand } from './command.ts'
import { findDeployment } from './deployment.ts'
import { KeyTable } from './key-table.ts'

/** The command `npm run keys`. */
const main = async (): Promise<void> => {
  const command = readCommand(process.argv.slice(2))
  if (command.action === 'help') return void process.stdout.write(help)
  const table = new KeyTable(await findDeployment(command.target))
  const { text, json, failure } = await carryOut(table, command)
  await print(`${command.json ? JSON.stringify(json, undefined, 2) : text}\n`).catch(({ message }) => {
    const { key, keyId } = Object(json)
    const advice = key === undefined ? '' : ` The new key is stored, but was not shown. ${revokeIt(keyId)}`
    throw new CommandError(`Cannot print: ${message}.${advice}`)
  })
  if (failure) throw failure
}

const print = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.on('error', reject).write(text, (error) => (error ? reject(error) : resolve()))
  })

main().catch(fail)

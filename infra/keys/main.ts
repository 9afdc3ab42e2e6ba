import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { scopes } from '../../shared/service.ts'
import { CommandError, duration, fail, run } from '../command-line.ts'
import { deploymentCommand, findDeployment } from '../deployment.ts'
import { issue, list, type Report, revoke, rotate } from './commands.ts'
import { KeyTable, PRINTABLE } from './key-table.ts'

const keys = deploymentCommand('npm run keys --', 'Issues, lists, rotates and revokes API keys.')
  .option('--json', 'print JSON; with npm run -s, nothing else is printed')
  .addHelpText('after', '\nExample:\n  npm run keys -- issue --stage staging --name "shop front" --scope pets:read')

const clientName = (text: string): string => {
  if ([...text].length <= 100 && /\S/.test(text) && PRINTABLE.test(text)) return text
  throw new InvalidArgumentError('Use 1 to 100 characters, not only white space, and no control characters.')
}
const scope = new Option('--scope <scope...>', 'what the new key allows').choices(scopes)
const expiresIn = new Option('--expires-in <duration>', 'lifetime of the new key, such as 90d').argParser(duration)

keys
  .command('issue')
  .description('make a key, and print it: only its digest is stored')
  .requiredOption('--name <text>', 'who uses the key', clientName)
  .addOption(scope)
  .addOption(expiresIn)
  .action(({ scope, ...request }) => carryOut((table) => issue(table, { ...request, scopes: scope })))

keys
  .command('list')
  .description('list all keys')
  .action(() => carryOut(list))

keys
  .command('rotate <keyId>')
  .description('make a new key for the client of a key, and let the old key expire')
  .requiredOption('--grace <duration>', 'how long the old key stays valid, such as 24h', duration)
  .addOption(scope)
  .addOption(expiresIn)
  .action((keyId, { scope, ...request }) => carryOut((table) => rotate(table, keyId, { ...request, scopes: scope })))

keys
  .command('revoke <keyId>')
  .description('delete a key')
  .option('--yes', 'do not ask for confirmation')
  .action((keyId, { yes }) => carryOut((table) => revoke(table, keyId, yes)))

const carryOut = async (action: (table: KeyTable) => Promise<Report>): Promise<void> => {
  const options = keys.opts()
  const { text, json, failure } = await action(new KeyTable(await findDeployment(options)))
  process.stdout.on('error', ({ message }) => fail(new CommandError(`Cannot print: ${message}.`)))
  process.stdout.write(`${options.json ? JSON.stringify(json, null, 2) : text}\n`)
  if (failure) throw failure
}

await run(keys)

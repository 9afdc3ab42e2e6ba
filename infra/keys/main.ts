import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { scopes } from '../../shared/model/api-key.ts'
import { CommandError, duration, run } from '../command-line.ts'
import { deploymentCommand, findDeployment } from '../deployment.ts'
import { issue, revoke, revokeIt, rotate } from './actions.ts'
import { KeyTable } from './key-table.ts'
import { issued, jsonText, listed, type Report, rotated } from './report.ts'

const keys = deploymentCommand('npm run keys --', 'Issues, lists, rotates and revokes API keys.')
  .option('--json', 'print JSON; with npm run -s, nothing else is printed')
  .addHelpText('after', '\nExample:\n  npm run keys -- issue --stage staging --name "shop front" --scope pets:read')

// `list` prints names, so a control character would reach the operator's terminal.
const clientName = (text: string): string => {
  if ([...text].length <= 100 && /\S/.test(text) && !/\p{C}/u.test(text)) return text
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
  .action(({ scope, ...request }) =>
    carryOut(async (table) => issued(await issue(table, { ...request, scopes: scope }))),
  )

keys
  .command('list')
  .description('list all keys')
  .action(() => carryOut(async (table) => listed(await table.all())))

keys
  .command('rotate <keyId>')
  .description('make a new key for the client of a key, and let the old key expire')
  .requiredOption('--grace <duration>', 'how long the old key stays valid, such as 24h', duration)
  .addOption(scope)
  .addOption(expiresIn)
  .action((keyId, { scope, ...request }) =>
    carryOut(async (table) => rotated(await rotate(table, keyId, { ...request, scopes: scope }))),
  )

keys
  .command('revoke <keyId>')
  .description('delete a key')
  .option('--yes', 'do not ask for confirmation')
  .action((keyId, { yes }) => carryOut((table) => revoke(table, keyId, yes)))

const carryOut = async (action: (table: KeyTable) => Promise<Report>): Promise<void> => {
  const options = keys.opts()
  const { text, json, failure } = await action(new KeyTable(await findDeployment(options)))
  await print(`${options.json ? jsonText(json) : text}\n`).catch(({ message }) => {
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

await run(keys)

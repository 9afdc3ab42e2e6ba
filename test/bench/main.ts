import { command, runCommand, wholeNumber } from '../../infra/command-line.ts'
import { makeBundles } from '../support/bundles.ts'
import { processFolder } from '../support/process.ts'
import { measure } from './measure.ts'
import { bundlePeers, installPeers } from './peers.ts'
import { subjectsOf } from './subjects.ts'

const DETAILS = `
The other functions are in test/bench/peers. The first run installs their packages, which takes a
network. The bench needs openssl, because DynamoDB's responses come over TLS from this machine. A
wrong response of any function ends the run. Times mean something only on a machine that does
nothing else. The table has medians; test/README.md says of what.`

const main = command(
  'npm run bench --',
  'Measures the functions as they are deployed, in turns with others that do the same work.',
)
  .addHelpText('after', DETAILS)
  .option('--starts <number>', 'starts of each function', wholeNumber(1, 1000), 31)
  .action(async ({ starts }) => {
    await installPeers()
    const folder = processFolder('bench')
    process.env.TMPDIR = folder // For CDK's files, and whatever the functions write.
    const services = {
      lean: makeBundles(),
      sdk: makeBundles({ dynamoDBClient: 'sdk' }, ['listPets']),
    }
    const subjects = subjectsOf(services, await bundlePeers(folder))
    console.table(await measure(subjects, starts, folder))
  })

await runCommand(main)

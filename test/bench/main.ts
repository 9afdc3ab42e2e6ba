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
    process.stdout.write(table(await measure(subjects, starts, folder)))
  })

/** The medians of each function as a line, the names to the left and the numbers to the right. */
const table = (medians: Record<string, Record<string, number>>): string => {
  const rows = Object.entries(medians).map(([name, values]) => [
    name,
    ...Object.values(values).map((value) => `${Number(value.toPrecision(3))}`),
  ])
  const lines = [['', ...Object.keys(Object.values(medians)[0] ?? {})], ...rows]
  const widthOf = (column: number) => Math.max(...lines.map((line) => line[column]?.length ?? 0))
  const padded = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widthOf(0)) : cell.padStart(widthOf(column))
  return lines.map((line) => `${line.map(padded).join('  ')}\n`).join('')
}

await runCommand(main)

import { isDeepStrictEqual } from 'node:util'
import { CommandError, command, run, wholeNumber } from '../../infra/command-line.ts'
import type { Pet } from '../../shared/pets/pet.ts'
import { processFolder } from '../support/process.ts'
import { HEAP_MB, type Run, runLoad } from './run-load.ts'

const DETAILS = `
64 connections send 80 % lists, 15 % creates and 5 % changes to a server with a data folder of its own. The exit code is 1
if a request has no 2xx, if a restart loses, doubles or invents a pet, or if the JavaScript heap exceeds ${HEAP_MB} MB.`

const main = command(
  'npm run load --',
  'Puts the local server under load, and checks afterwards that it kept everything.',
)
  .addHelpText('after', DETAILS)
  .option('--seconds <number>', 'duration of the load', wholeNumber(2, 3600), 60)
  .action(async ({ seconds }) => {
    const result = await runLoad(processFolder('load'), seconds)
    console.table([result.figures])
    console.table(Object.fromEntries([...result.responses].sort()))
    console.log(
      `${result.created.length} pets got a 201. After a restart, the server has ${result.found.length}.`,
    )
    const shortcomings = shortcomingsOf(result)
    if (shortcomings.length === 0) return
    const unexpected = result.output
      .split('\n')
      .filter((line) => line !== '' && !/ 2\d\d +\d+ ms /.test(line))
    throw new CommandError(
      [...shortcomings, 'Output of the server:', ...unexpected.slice(-20)].join('\n'),
    )
  })

/** What a run must not show, one sentence each. */
const shortcomingsOf = ({ failed, sent, created, responses, found }: Run): string[] => {
  const expected = ['listPets 200', 'createPet 201', 'updatePet 200']
  const missing = expected.filter((kind) => !responses.has(kind))
  const errors = [...responses].filter(([kind]) => !/ 2\d\d$/.test(kind))
  // Each was sent with a name of its own.
  const byName = new Map(found.map((pet) => [pet.name, pet]))
  const twice = found.filter((pet) => byName.get(pet.name) !== pet)
  const unknown = found.filter(({ name }) => !sent.has(name))
  const lost = created.filter((pet) => !isDeepStrictEqual(byName.get(pet.name), pet))
  return [
    ...missing.map((kind) => `No ${kind}.`),
    ...errors.map(([kind, times]) => `${kind}: ${times} times.`),
    ...(failed > 0 ? [`No response: ${failed} times.`] : []),
    ...about('Added with a 201, but missing after the restart', lost),
    ...about('Found more than once', twice),
    ...about('Found, but never sent', unknown),
  ]
}

const about = (what: string, found: Pet[]): string[] =>
  found.length > 0 ? [`${what}: ${found.length}, such as ${JSON.stringify(found[0])}.`] : []

await run(main)

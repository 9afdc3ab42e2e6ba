import { isDeepStrictEqual } from 'node:util'
import { CommandError, command, run, wholeNumber } from '../../infra/commands/command-line.ts'
import { processFolder } from '../support/process.ts'
import type { Pet } from '../support/server.ts'
import { type Run, runLoad } from './run-load.ts'

const DETAILS = `
64 connections send 80 % lists, 15 % creates and 5 % changes to a server with a data folder of its own. The exit code is 1
if

- a response is not a 2xx, or a request gets no response,
- after a restart, the server lacks a pet of a 201, has a pet twice, or has one that was never sent,
- the JavaScript heap is more than 20 % larger at the end than after the first ten seconds (or after half of a shorter
  run), both times after a garbage collection.`

const main = command(
  'npm run load --',
  'Puts the local server under load, and checks afterwards that it kept every pet.',
)
  .addHelpText('after', DETAILS)
  .option('--seconds <number>', 'duration of the load', wholeNumber(2, 3600), 60)
  .action(async ({ seconds }) => {
    const result = await runLoad(processFolder('load'), seconds)
    console.table([result.first, result.rest])
    console.table(Object.fromEntries([...result.responses].sort()))
    console.log(
      `${result.created.length} pets were created with a 201. After a restart, the server has ${result.found.length}.`,
    )
    console.log('The others got no response, because the load ended first.')
    const shortcomings = shortcomingsOf(result)
    if (shortcomings.length === 0) return
    const unexpected = result.output.split('\n').filter((line) => line !== '' && !/ 2\d\d +\d+ ms /.test(line))
    throw new CommandError([...shortcomings, 'Output of the server:', ...unexpected.slice(-20)].join('\n'))
  })

/** What a run must not show, one sentence each. */
const shortcomingsOf = ({ first, rest, sent, created, responses, found }: Run): string[] => {
  const missing = ['listPets 200', 'createPet 201', 'updatePet 200'].filter((kind) => !responses.has(kind))
  const errors = [...responses].filter(([kind]) => !/ 2\d\d$/.test(kind))
  const failed = first.failed + rest.failed
  const growth = rest['heap, MB'] / first['heap, MB']
  const byName = new Map(found.map((pet) => [pet.name, pet])) // Each pet was sent with a name of its own.
  const lost = created.filter((pet) => !isDeepStrictEqual(byName.get(pet.name), pet))
  return [
    ...missing.map((kind) => `No ${kind}.`),
    ...errors.map(([kind, times]) => `${kind}: ${times} times.`),
    ...(failed > 0 ? [`No response: ${failed} times.`] : []),
    ...about('Created with a 201, but missing after the restart', lost),
    ...about(
      'Found more than once',
      found.filter((pet) => byName.get(pet.name) !== pet),
    ),
    ...about(
      'Found, but never sent',
      found.filter(({ name }) => !sent.has(name)),
    ),
    ...(growth > 1.2 ? [`The heap grew to ${growth.toFixed(2)} times its size.`] : []),
  ]
}

const about = (what: string, pets: Pet[]): string[] =>
  pets.length > 0 ? [`${what}: ${pets.length} pets, such as ${JSON.stringify(pets[0])}.`] : []

await run(main)

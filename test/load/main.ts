import { isDeepStrictEqual } from 'node:util'
import { CommandError, command, run, wholeNumber } from '../../infra/command-line.ts'
import { example, has, type Resource } from '../support/example.ts'
import { processFolder } from '../support/process.ts'
import { HEAP_MB, type Run, runLoad } from './run-load.ts'

const DETAILS = `
64 connections send 80 % lists, 15 % creates and 5 % changes to a server with a data folder of its own. The exit code is 1
if a request has no 2xx, if a restart loses, doubles or invents a resource, or if the JavaScript heap exceeds ${HEAP_MB} MB.`

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
      `${result.created.length} were created with a 201. After a restart, the server has ${result.found.length}.`,
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
  const { list, create, change, text } = example
  const changes = has.change ? [`${change.operation} 200`] : []
  const missing = [`${list} 200`, `${create} 201`, ...changes].filter(
    (kind) => !responses.has(kind),
  )
  const errors = [...responses].filter(([kind]) => !/ 2\d\d$/.test(kind))
  // Each was sent with a text of its own.
  const byText = new Map(found.map((each) => [each[text], each]))
  const twice = found.filter((each) => byText.get(each[text]) !== each)
  const unknown = found.filter((each) => !sent.has(each[text]))
  const lost = created.filter((each) => !isDeepStrictEqual(byText.get(each[text]), each))
  return [
    ...missing.map((kind) => `No ${kind}.`),
    ...errors.map(([kind, times]) => `${kind}: ${times} times.`),
    ...(failed > 0 ? [`No response: ${failed} times.`] : []),
    ...about('Created with a 201, but missing after the restart', lost),
    ...about('Found more than once', twice),
    ...about('Found, but never sent', unknown),
  ]
}

const about = (what: string, found: Resource[]): string[] =>
  found.length > 0 ? [`${what}: ${found.length}, such as ${JSON.stringify(found[0])}.`] : []

await run(main)

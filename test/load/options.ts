import { CommandError, readWords } from '../../infra/command-line.ts'

export const help = `Puts the local server under load, and counts afterwards what it kept.

  npm run load -- [options]

  --seconds <number>  how long the load lasts, 2 to 3600      (default: 60)
  --help              print this

64 connections send 80 % lists, 15 % creates and 5 % reads to a server with a data folder of its own. The exit code is 1

- where an answer is not a 2xx, or does not come,
- where the server, started again on its folder, lacks a pet that was answered with a 201, has one twice or one that
  was never sent,
- where the JavaScript heap is more than 20 % larger at the end than it was after the first ten seconds (after half of a
  shorter run), both times once garbage is collected,
- where the resident memory of the whole process is, if 3,000 requests were answered by then: with fewer, it is still
  getting to its working size.
`

/** Reads the command line; `undefined` where it asks for help. Throws a CommandError that says what is wrong with it. */
export const readOptions = (args: string[]): { seconds: number } | undefined => {
  const options = { seconds: { type: 'string' }, help: { type: 'boolean' } } as const
  const { seconds = '60', help: wantsHelp } = readWords({ args, options }, 'npm run load').values
  if (wantsHelp) return undefined
  if (!/^\d{1,4}$/.test(seconds) || Number(seconds) < 2 || Number(seconds) > 3600)
    throw new CommandError(`--seconds takes a whole number from 2 to 3600, not "${seconds}".`)
  return { seconds: Number(seconds) }
}

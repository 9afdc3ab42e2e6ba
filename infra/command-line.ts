import { type ParseArgsConfig, parseArgs } from 'node:util'

/** What stops a command: its message, one line, is all that the person at the keyboard needs to see. */
export class CommandError extends Error {}

/**
 * Reads the words of a command line.
 *
 * @param command as it is typed, to say where its help is
 * @throws CommandError where a word is not one that the command knows
 */
export const readWords = <T extends ParseArgsConfig>(config: T, command: string): ReturnType<typeof parseArgs<T>> => {
  try {
    return parseArgs(config)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new CommandError(`${error.message.replace(/\.\s.*/s, '')}. See ${command} -- --help`)
  }
}

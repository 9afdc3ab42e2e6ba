import { createInterface } from 'node:readline/promises'
import type { Readable } from 'node:stream'
import { CommandError } from '../command-line.ts'

/** Asks the person at the terminal a question. Throws a CommandError unless the answer is yes. */
export const confirm = async (
  question: string,
  input: Readable & { isTTY?: boolean } = process.stdin,
  output: NodeJS.WritableStream = process.stderr, // So that the output stays what a script expects.
): Promise<void> => {
  if (!input.isTTY) throw new CommandError('Nobody is there to ask. Say --yes to revoke without asking.')
  const terminal = createInterface({ input, output })
  // Ctrl-C and Ctrl-D reject the question; a terminal that goes away would leave it open for ever.
  const gone = new AbortController()
  terminal.once('close', () => gone.abort())
  const asked = terminal.question(`${question} [y/N] `, { signal: gone.signal })
  const answer = await asked.catch(() => void output.write('\n'))
  terminal.close()
  if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw new CommandError('Nothing was revoked.')
}

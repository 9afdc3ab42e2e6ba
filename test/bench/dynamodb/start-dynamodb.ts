import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { CommandError } from '../../../infra/command-line.ts'
import { endWithThis } from '../end-with-this.ts'

/** A DynamoDB that answers at once, in a process of its own: its CPU time is nobody's who is measured. */
export type DynamoDb = {
  endpoint: string
  /** The file of the certificate by which its own is verified. */
  authorityFile: string
  stop: () => void
}

/** @param folder gets its certificate */
export const startDynamoDb = async (folder: string): Promise<DynamoDb> => {
  const child = fork(fileURLToPath(new URL('main.ts', import.meta.url)), [folder])
  endWithThis(child)
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  const { endpoint, authorityFile, error } = Object(message)
  if (!endpoint) throw new CommandError(error ?? `The DynamoDB of the bench ended with ${message}.`)
  return { endpoint, authorityFile, stop: () => child.connected && child.disconnect() }
}

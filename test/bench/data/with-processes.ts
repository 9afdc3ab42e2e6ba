import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { endWithThis } from '../end-with-this.ts'

/** A process with a file of this folder: what it said first, and a way to send it a message and get its answer. */
export type Process = { greeting: unknown; ask: (message: object) => Promise<unknown> }

/** Starts a file of this folder, with nothing else in its environment. */
export type Start = (file: string, args: string[], env?: Record<string, string>) => Promise<Process>

/** Does work that needs other processes, and ends them afterwards. */
export const withProcesses = async <T>(work: (start: Start) => Promise<T>): Promise<T> => {
  const children: ChildProcess[] = []
  try {
    return await work((file, args, env = {}) => {
      // What a function logs is written, as it is in Lambda, but nobody is to read it.
      const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const
      const child = fork(new URL(file, import.meta.url), args, { env, execArgv: [], stdio: [...stdio] })
      children.push(child)
      endWithThis(child)
      return talkTo(child, file)
    })
  } finally {
    await Promise.all(children.map(end))
  }
}

const talkTo = async (child: ChildProcess, file: string): Promise<Process> => {
  const next = async (): Promise<unknown> => {
    const ended = new AbortController()
    const message = once(child, 'message', ended).then(([said]) => said)
    const exit = once(child, 'exit', ended).then(([code]) => {
      throw new Error(`${file} ended with ${code}.`)
    })
    return Promise.race([message, exit]).finally(() => ended.abort())
  }
  const greeting = await next()
  const ask = (message: object): Promise<unknown> => {
    const answer = next()
    child.send(message)
    return answer
  }
  return { greeting, ask }
}

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

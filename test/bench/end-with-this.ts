import type { ChildProcess } from 'node:child_process'

const running = new Set<ChildProcess>()

process.prependOnceListener('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Has a process end with this one, before anything else that is done at its end. */
export const endWithThis = (child: ChildProcess): void => {
  running.add(child)
  child.once('exit', () => running.delete(child))
}

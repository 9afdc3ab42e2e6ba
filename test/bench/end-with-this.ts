import type { ChildProcess } from 'node:child_process'

/** Has a process end with this one, before anything else that is done at its end. */
export const endWithThis = (child: ChildProcess): void => {
  const kill = () => child.kill('SIGKILL')
  process.prependOnceListener('exit', kill)
  child.once('exit', () => process.off('exit', kill))
}

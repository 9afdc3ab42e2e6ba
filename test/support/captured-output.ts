import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { formatWithOptions } from 'node:util'

/** Where what a run of the tests prints is kept until its end: a file for each output, named after it. */
export const outputFolder = (): string => join(tmpdir(), 'output')

/** Keeps all that is printed by the processes which this one starts, and by those which they do not keep. */
export const captureProcesses = (folder: string): void => {
  mkdirSync(folder, { recursive: true })
  subscribe('child_process', (message) => {
    const { process: child } = message as { process: ChildProcess } // Node.js documents it so.
    // It gets its outputs later in the call that starts it. Whoever made that call listens to them no later than this.
    process.nextTick(() => {
      for (const output of ['stdout', 'stderr'] as const) {
        const file = join(folder, fileName(`${commandOf(child)}, ${output} of process ${child.pid}`))
        child[output]?.on('data', (chunk) => appendFileSync(file, chunk))
      }
    })
  })
}

/** Keeps all that this process's console is given, whether or not a test silences it. */
export const captureConsole = (folder: string, user: string): void => {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, fileName(`the console of ${user}`))
  const heard = (method: (...args: unknown[]) => unknown) =>
    new Proxy(method, {
      apply: (target, self, args) => {
        appendFileSync(file, `${formatWithOptions(UNLIMITED, ...args)}\n`)
        return Reflect.apply(target, self, args)
      },
    })
  // Its methods are looked up at each call, since spies replace them.
  globalThis.console = new Proxy(console, {
    get: (target, name) => {
      const member = Reflect.get(target, name)
      return typeof member === 'function' ? heard(member) : member
    },
  })
}

// A log of Lambda is not cut, nor broken into lines, where a terminal's is.
const WIDE = { compact: true, breakLength: Number.POSITIVE_INFINITY }
const UNLIMITED = { ...WIDE, depth: Number.POSITIVE_INFINITY, maxArrayLength: null, maxStringLength: null }

const commandOf = ({ spawnargs: [command = '', ...args] }: ChildProcess): string =>
  `${basename(command)} ${args.find((arg) => !arg.startsWith('-'))?.slice(-60) ?? ''}`

const fileName = (source: string): string => encodeURIComponent(source)

import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { formatWithOptions } from 'node:util'

/** The folder that keeps everything a test run prints: one file for each output, named after its source. */
export const outputFolder = (): string => join(tmpdir(), 'output')

/** Copies the output of all processes that this process starts to `folder`. */
export const captureProcesses = (folder: string): void => {
  mkdirSync(folder, { recursive: true })
  subscribe('child_process', (message) => {
    const { process: child } = message as { process: ChildProcess } // As Node.js documents it.
    // The child gets its streams later in the same call that starts it.
    process.nextTick(() => {
      for (const output of ['stdout', 'stderr'] as const) {
        const file = join(folder, fileName(`${commandOf(child)}, ${output} of process ${child.pid}`))
        child[output]?.on('data', (chunk) => appendFileSync(file, chunk))
      }
    })
  })
}

/** Copies everything that this process logs to `folder`, whether or not a test silences the console. */
export const captureConsole = (folder: string, user: string): void => {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, fileName(`the console of ${user}`))
  const captured = (method: (...args: unknown[]) => unknown) =>
    new Proxy(method, {
      apply: (target, self, args) => {
        appendFileSync(file, `${formatWithOptions(UNLIMITED, ...args)}\n`)
        return Reflect.apply(target, self, args)
      },
    })
  // Spies replace the console's methods, so they are looked up at each call.
  globalThis.console = new Proxy(console, {
    get: (target, name) => {
      const member = Reflect.get(target, name)
      return typeof member === 'function' ? captured(member) : member
    },
  })
}

// Like a Lambda log: neither cut nor broken into lines.
const WIDE = { compact: true, breakLength: Number.POSITIVE_INFINITY }
const UNLIMITED = { ...WIDE, depth: Number.POSITIVE_INFINITY, maxArrayLength: null, maxStringLength: null }

const commandOf = ({ spawnargs: [command = '', ...args] }: ChildProcess): string =>
  `${basename(command)} ${args.find((arg) => !arg.startsWith('-'))?.slice(-60) ?? ''}`

const fileName = (source: string): string => encodeURIComponent(source)

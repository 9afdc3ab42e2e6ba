import { spawnSync } from 'node:child_process'
import fs, { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { watchAdvice, watchSources } from '../../../infra/local/source-watch.ts'
import { leastEnvironment, temporaryFolder } from '../../support/server.ts'

/** Creates a checkout, as a folder of its own or below another. */
const newCheckout = (root = temporaryFolder()): string => {
  for (const folder of ['functions', 'infra', 'shared/pets'])
    mkdirSync(join(root, folder), { recursive: true })
  return root
}

/** Watches until the test ends. */
const watchUntilEnd = (root: string) => {
  const stopped = Promise.withResolvers<void>()
  onTestFinished(() => stopped.resolve())
  return { ...watchSources(root, stopped.promise), stop: stopped.resolve }
}

const write = (root: string, file: string) => writeFileSync(join(root, file), '')

/** Replaces functions of `node:fs` until the test ends. */
const replace = (functions: Partial<typeof fs>) => {
  const originals = { watch: fs.watch, statfsSync: fs.statfsSync }
  onTestFinished(() => {
    Object.assign(fs, originals)
    syncBuiltinESMExports()
  })
  Object.assign(fs, functions)
  syncBuiltinESMExports()
}

test('names a source that has changed, after a pause in which an editor may write more', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const root = newCheckout()
  const { isWatching, change } = watchUntilEnd(root)

  write(root, 'shared/pets/pet.ts')
  while (vi.getTimerCount() === 0) await new Promise(setImmediate)
  vi.advanceTimersByTime(9)
  const waiting = vi.getTimerCount()
  vi.advanceTimersByTime(1)

  expect([isWatching, waiting, vi.getTimerCount()]).toEqual([true, 1, 0])
  expect(await change).toBe('shared/pets/pet.ts')
})

test.each(['shared/.#pet.ts', 'shared/._x.ts', 'shared/notes.txt', 'package.json', 'vite.ts'])(
  'ignores %s, which is no source',
  async (file) => {
    const root = newCheckout()
    const { change } = watchUntilEnd(root)

    write(root, file)
    write(root, 'functions/getPet.ts')

    expect(await change).toBe('functions/getPet.ts')
  },
)

test.each(['functions', 'shared/pets'])('notices that the folder %s is back', async (folder) => {
  const root = newCheckout()
  rmSync(join(root, folder), { recursive: true })
  const { change } = watchUntilEnd(root)

  mkdirSync(join(root, folder))

  expect(await change).toBe(folder)
})

test('waits until the server is stopped', async () => {
  const { change, stop } = watchUntilEnd(newCheckout())

  stop()

  expect(await change).toBeUndefined()
})

const hasGit = spawnSync('git', ['--version']).status === 0

describe.skipIf(!hasGit)('with git (skipped: git is not installed)', () => {
  /** Creates a repository that ignores a file or folder. */
  const newRepository = (ignored: string): string => {
    const root = temporaryFolder()
    spawnSync('git', ['init', '--quiet'], { cwd: root, env: leastEnvironment })
    writeFileSync(join(root, '.gitignore'), `${ignored}\n`)
    return root
  }

  test('ignores what git ignores, and nothing because of a hook of another repository', async () => {
    const other = join(newRepository(''), '.git')
    writeFileSync(join(other, 'info/exclude'), 'pet.ts\n')
    vi.stubEnv('GIT_DIR', other)
    onTestFinished(() => void vi.unstubAllEnvs())
    const root = newCheckout(newRepository('made.ts'))
    const { change } = watchUntilEnd(root)

    for (const file of ['shared/made.ts', 'shared/pets/pet.ts', 'functions/getPet.ts'])
      write(root, file)

    expect(await change).toBe('shared/pets/pet.ts')
  })

  test('notices a source in a checkout that a repository around it ignores', async () => {
    const root = newCheckout(join(newRepository('copies'), 'copies/shop/'))
    const { change } = watchUntilEnd(root)

    write(root, 'shared/pets/pet.ts')

    expect(await change).toBe('shared/pets/pet.ts')
  })
})

const systemError = (code: string) => Object.assign(new Error(`${code}: refused`), { code })

test('goes on without watching where the system has no more watches, and says so', async () => {
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => void vi.restoreAllMocks())
  const close = vi.fn()
  const { watch } = fs
  replace({
    watch: ((folder: string) => {
      if (basename(folder) === 'shared') throw systemError('ENOSPC')
      const watcher = watch(folder)
      return Object.assign(watcher, {
        close: close.mockImplementation(watcher.close.bind(watcher)),
      })
    }) as typeof watch,
  })

  const { isWatching, change, stop } = watchUntilEnd(newCheckout())
  stop()

  expect([isWatching, await change]).toEqual([false, undefined])
  expect(printed.mock.calls).toEqual([
    ['Changes are not noticed: restart the server after one. ENOSPC: refused\n'],
  ])
  expect(close).toHaveBeenCalled()
})

test('skips a folder that was removed after it was listed', async () => {
  const { watch } = fs
  const root = newCheckout()
  replace({
    watch: ((folder: string, listener: () => void) => {
      if (basename(folder) === 'infra') throw systemError('ENOENT')
      return watch(folder, listener)
    }) as typeof watch,
  })

  const { isWatching, change } = watchUntilEnd(root)
  write(root, 'shared/pets/pet.ts')

  expect([isWatching, await change]).toEqual([true, 'shared/pets/pet.ts'])
})

test('warns of a file system that may not report changes', () => {
  const local = watchAdvice('/proc')
  replace({ statfsSync: (() => ({ type: 0x01021997 })) as unknown as typeof fs.statfsSync })

  expect([local, watchAdvice('.')]).toEqual([
    '',
    'The sources are on a file system (9p) that may not report changes. ' +
      'If a change is not noticed, restart the server.\n',
  ])
})

import { globSync, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const FOLDERS = ['functions', 'infra', 'shared']
// An editor or git writes several times.
const PAUSE_MS = 10
// Editors leave hidden files and copies beside a source: `.pet.ts.swp`, `#pet.ts#`, `pet.ts~`.
const EDITORS = /(^|\/)[.#][^/]*$|~$/

/** Waits until a file in the folders of sources in `root` changes. Returns its path. */
export const nextChange = async (root: string): Promise<string> => {
  let changed = ''
  const { promise: first, resolve } = Promise.withResolvers<void>()
  const stop = watchFolders(root, (file) => {
    const [folder = ''] = file.split('/')
    if (!FOLDERS.includes(folder) || EDITORS.test(file)) return
    changed = file // The last one: those before it may be temporary.
    resolve()
  })
  await first
  await pause(PAUSE_MS)
  stop()
  return changed
}

/** Calls `note` with each file that changes, until the returned function is called. */
const watchFolders = (root: string, note: (file: string) => void): (() => void) => {
  const stopping = new AbortController()
  const { signal } = stopping
  const giveUp = ({ message }: Error) => {
    stopping.abort()
    process.stderr.write(`Changes are not noticed: restart the server after one. ${message}\n`)
  }
  // One watcher for each folder: a recursive one loses files that git and editors replace. One for
  // the root, because a whole folder may be removed and restored.
  for (const folder of ['', ...globSync(`{${FOLDERS.join(',')}}/{,**/}`, { cwd: root })]) {
    try {
      const watcher = watch(join(root, folder), { signal }, (_event, name) =>
        note(join(folder, name ?? '')),
      )
      watcher.on('error', giveUp)
    } catch (error) {
      const problem = error as NodeJS.ErrnoException // Of a system call.
      if (problem.code === 'ENOENT') continue // It was removed after it was listed.
      giveUp(problem)
      break
    }
  }
  return () => stopping.abort()
}

import { spawn } from 'node:child_process'
import { type FSWatcher, globSync, statfsSync, statSync, watch } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'

export type SourceWatch = {
  /** Whether a change can be noticed. */
  isWatching: boolean
  /** The file that changes next; `undefined` if the server is stopped before. */
  change: Promise<string | undefined>
}

const FOLDERS = ['functions', 'infra', 'shared']
// An editor or git writes several times.
const PAUSE_MS = 10

/** Waits for the next change of a source in the checkout `root`, or until `stopped`. */
export const watchSources = (root: string, stopped: Promise<unknown>): SourceWatch => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const changed = new Set<string>()
  const checkChanged = async () => {
    const files = [...changed]
    changed.clear()
    const ignored = await ignoredByGit(root, files)
    const file = files.find((each) => !ignored.includes(each))
    if (file !== undefined) resolve(file)
  }
  const note = (file: string) => {
    if (!isSource(root, file)) return
    if (changed.size === 0) setTimeout(checkChanged, PAUSE_MS)
    changed.add(file)
  }
  const isOver = stopped.then(() => undefined)
  const watchers = watchFolders(root, note)
  if (!watchers) return { isWatching: false, change: isOver }
  const change = Promise.race([promise, isOver]).finally(() => close(watchers))
  return { isWatching: true, change }
}

/** Advice if changes in a folder may go unnoticed; otherwise empty. */
export const watchAdvice = (root: string): string => {
  const name = REMOTE.get(statfsSync(root).type)
  if (!name) return ''
  return (
    `The sources are on a file system (${name}) that may not report changes. ` +
    'If a change is not noticed, restart the server.\n'
  )
}

// Types of statfs(2). Changes by another machine, such as the host of this virtual one, cause no
// events.
const REMOTE = new Map([
  [0x01021997, '9p'],
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x65735546, 'FUSE'],
  [0x786f4256, 'VirtualBox'],
])

/** Watches all folders of sources; `undefined` if the system cannot. */
const watchFolders = (root: string, note: (file: string) => void): FSWatcher[] | undefined => {
  const watchers: FSWatcher[] = []
  const giveUp = ({ message }: Error) => {
    close(watchers)
    process.stderr.write(`Changes are not noticed: restart the server after one. ${message}\n`)
  }
  // One watcher for each folder: a recursive one loses files that git and editors replace. One for
  // the root, because a whole folder may be removed and restored.
  for (const folder of ['', ...globSync(`{${FOLDERS.join(',')}}/{,**/}`, { cwd: root })]) {
    try {
      const watcher = watch(join(root, folder), (_event, name) => note(join(folder, name ?? '')))
      watchers.push(watcher.on('error', giveUp))
    } catch (error) {
      const problem = error as NodeJS.ErrnoException // Of a system call.
      if (problem.code === 'ENOENT') continue // It was removed after it was listed.
      giveUp(problem)
      return undefined
    }
  }
  return watchers
}

const close = (watchers: FSWatcher[]): void => {
  for (const watcher of watchers) watcher.close()
}

/** Whether a file is a source, or a folder, which may be new and have sources. */
const isSource = (root: string, file: string): boolean => {
  if (FOLDERS.includes(file)) return true
  const [top = ''] = file.split('/')
  // Editors and systems have hidden files beside a source.
  if (!FOLDERS.includes(top) || basename(file).startsWith('.')) return false
  if (file.endsWith('.ts')) return true
  return statSync(join(root, file), { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** Which of the files git ignores: none without git, or outside a repository. */
const ignoredByGit = async (root: string, files: string[]): Promise<string[]> => {
  const git = spawn('git', ['check-ignore', '-z', '--stdin'], {
    cwd: root,
    env: gitEnvironment(root),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  git.on('error', () => {})
  git.stdin.on('error', () => {}) // It may end before it reads.
  git.stdin.end(files.join('\0'))
  const output = await text(git.stdout).catch(() => '')
  return output.split('\0')
}

/** Without the variables of git: in a hook, they name another repository. */
const gitEnvironment = (root: string): NodeJS.ProcessEnv => {
  const variables = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
  // A repository around the checkout may ignore all of it.
  return { ...Object.fromEntries(variables), GIT_CEILING_DIRECTORIES: dirname(root) }
}

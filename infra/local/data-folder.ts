import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Level } from 'level'
import { CommandError } from '../command-line.ts'

/**
 * Makes a folder ready for dynalite to keep its data in, and nobody else's until the function it returns is called.
 * dynalite opens its store when the first request comes, and then does not say what is wrong with it.
 *
 * @throws CommandError where the folder cannot be used
 */
export const takeFolder = async (folder: string): Promise<() => Promise<void>> => {
  try {
    makeFolder(folder)
    // The store is closed for a moment on its way to dynalite. A lock of our own keeps another server out even then;
    // the system takes it from a process that was killed.
    const lock = await openStore(join(folder, 'lock'))
    await checkStore(folder)
    return () => lock.close()
  } catch (error) {
    throw new CommandError(`The data folder cannot be used: ${reasonOf(error)}`)
  }
}

type Entry = { TableStatus?: string }

// Not recursive, as LevelDB would do it: there, Node.js never returns where /proc refuses.
const makeFolder = (folder: string): void => {
  if (!existsSync(folder)) mkdirSync(folder)
}

const openStore = async (folder: string): Promise<Level<string, Entry>> => {
  makeFolder(folder)
  const store = new Level<string, Entry>(folder, { valueEncoding: 'json' })
  await store.open()
  return store
}

const checkStore = async (folder: string): Promise<void> => {
  const store = await openStore(folder)
  // A process that was killed while dynalite made a table leaves one that is never ready. It has no items yet.
  for await (const [key, { TableStatus }] of store.iterator({ gt: 'table~', lt: 'table~~' })) {
    if (TableStatus === 'CREATING') await store.del(key)
  }
  await store.close()
}

const reasonOf = (error: unknown): unknown => {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(reason instanceof Error)) return reason
  return 'code' in reason && reason.code === 'LEVEL_LOCKED' ? 'another server is using it.' : reason.message
}

import { Level } from 'level'

// Loaded into a local server before all else, it kills it at a write to its data folder: before it, while it is under
// way, or when it is done and nobody knows.
const { DIE_AT_WRITE, DIE_WHEN } = process.env

const die = (): void => void process.kill(process.pid, 'SIGKILL')

const { put } = Level.prototype
let writes = 0

async function putAndDie(this: Level, key: string, ...more: [value: string, options: object]): Promise<void> {
  // Not one of those by which a server makes itself ready.
  const isLast = !/^table~|ApiKeys/.test(key) && ++writes === Number(DIE_AT_WRITE)
  if (isLast && DIE_WHEN === 'before') die()
  const written = put.call(this, key, ...more)
  if (isLast && DIE_WHEN === 'meanwhile') die()
  await written
  if (isLast) die()
}

Object.assign(Level.prototype, { put: putAndDie })
